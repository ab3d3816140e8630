import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EVENT_VERSION, type RunEvent } from '../journal/event.ts';
import { faultCode, runEnd, runStart } from '../journal/store.conformance.ts';
import { upcaster } from '../journal/upcast.ts';
import { fileStore } from './file/file-store.ts';

const resumed = (seq: number, version?: number): RunEvent => ({
  type: 'run-resume',
  seq,
  at: 0,
  ...(version !== undefined && { version }),
});
const added = (word: string) => (event: unknown) => ({ ...(event as object), [word]: true });
const steps = { 1: added('one'), 2: added('two') };

test('an event of an earlier version is lifted step by step to the current one', () => {
  const upcast = upcaster(steps, 3);
  expect(upcast({ ...runStart('r'), version: 1 })).toMatchObject({ one: true, two: true });
  expect(upcast(runEnd(1))).toMatchObject({ one: true, two: true });
});

test('a later release that took the run up wrote in its own version from there on', () => {
  const upcast = upcaster(steps, 3);
  upcast({ ...runStart('r'), version: 1 });
  expect(upcast(resumed(1))).toMatchObject({ one: true });
  expect(upcast(resumed(2, 2))).not.toHaveProperty('one');
  expect(upcast(runEnd(3))).toMatchObject({ two: true });
  expect(upcast(resumed(4, 3))).not.toHaveProperty('two');
});

test('events of the current version are as they are', () => {
  const upcast = upcaster();
  for (const event of [runStart('r'), resumed(1, EVENT_VERSION), runEnd(2)]) expect(upcast(event)).toBe(event);
});

test('a journal of a newer release is refused with both versions', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'cadre-upcast-'));
  try {
    mkdirSync(join(dir, 'runs/r1'), { recursive: true });
    const first = { ...runStart('r1'), version: EVENT_VERSION + 1 };
    writeFileSync(join(dir, 'runs/r1/events.jsonl'), `${JSON.stringify(first)}\n`);
    const reading = fileStore(dir).read('r1')[Symbol.asyncIterator]().next();
    await expect(reading).rejects.toEqual(faultCode('journal/version'));
    await expect(fileStore(dir).claim('r1', 1)).rejects.toThrow(`reads up to version ${EVENT_VERSION}`);
    expect(await fileStore(dir).list()).toHaveLength(1);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('a journal of 0.1.0 is refused with the way out, and listed', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'cadre-upcast-'));
  try {
    mkdirSync(join(dir, 'runs/r1'), { recursive: true });
    const events = [{ ...runStart('r1'), version: 1 }, runEnd(1)];
    writeFileSync(join(dir, 'runs/r1/events.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    const store = fileStore(dir);
    await expect(store.read('r1')[Symbol.asyncIterator]().next()).rejects.toEqual(faultCode('journal/version'));
    await expect(store.claim('r1', 2)).rejects.toThrow(
      'Cadre 0.1.0 wrote this journal, and this release reads those of 0.2.0 and later. Use Cadre 0.2.0, or start the run again.',
    );
    expect(await store.list()).toMatchObject([{ run: 'r1', outcome: 'answered' }]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('a helper that 0.2.0 wrote is read as a run', () => {
  const upcast = upcaster();
  upcast({ ...runStart('r'), version: 2 });
  const lift = (event: object): unknown => upcast({ seq: 1, at: 5, ...event } as unknown as RunEvent);
  const op = {
    kind: 'subagent',
    agent: 'boss',
    depth: 1,
    correlation_id: 'r/0.1',
    task_sha256: 'ab',
    preview: 'Count.',
    request: { task: 'Count.', files: [], maxIterations: 2, timeoutSeconds: 9 },
    limits: { maxDepth: 1 },
  };
  expect(lift({ type: 'op-start', path: '0.1', op })).toMatchObject({
    op: {
      kind: 'run',
      agent: 'boss/subagent',
      input: { text: 'Count.', data: { files: [], maxIterations: 2, timeoutSeconds: 9 } },
      trigger: { kind: 'subagent', depth: 1, correlation_id: 'r/0.1', task_sha256: 'ab', preview: 'Count.' },
    },
  });
  const ended = (status: string, output: object, more: object = {}): unknown =>
    lift({
      type: 'op-end',
      path: '0.1',
      kind: 'subagent',
      result: {
        ok: true,
        value: { text: JSON.stringify(output), record: { status, started_at: 1, duration_ms: 2 }, ...more },
      },
    });
  const rest = { artifacts: [], error: null, error_code: null, truncated: [] };
  expect(ended('success', { summary: 'Three.', ...rest }, { calls: [{ turn: 1 }] })).toEqual({
    seq: 1,
    at: 5,
    type: 'op-end',
    path: '0.1',
    kind: 'run',
    result: {
      ok: true,
      value: {
        kind: 'answered',
        text: 'Three.',
        record: { status: 'success', started_at: 1, duration_ms: 2, ...rest, calls: [{ turn: 1 }] },
      },
    },
  });
  const late = { summary: 'Half.', ...rest, error: 'timeout: Late.', error_code: 'timeout' };
  expect(ended('timed_out', late)).toMatchObject({
    result: { value: { kind: 'timed-out', partial: 'Half.', fault: { code: 'timeout', message: 'timeout: Late.' } } },
  });
});
