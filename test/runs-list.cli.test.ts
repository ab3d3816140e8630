// cadre runs and its filters, through the built command.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../src/journal/event.ts';
import { modelEnd, modelStart, runEnd, runStart, write } from '../src/journal/store.conformance.ts';
import type { RunSummary } from '../src/journal/store.ts';
import { fileStore } from '../src/stores/file/file-store.ts';
import { cli } from './crash/support/cli.ts';

let dir: string;
const DAY = 24 * 3_600_000;
const fault = { code: 'model/server', message: 'It broke\nin two lines.' } as const;
const signal = { kind: 'approval', prompt: 'May I?', about: null } as const;
const runs = async (...options: readonly string[]): Promise<readonly RunSummary[]> =>
  JSON.parse((await cli(['runs', '--json', ...options, '--store', dir])).stdout) as readonly RunSummary[];
const names = async (...options: readonly string[]) => (await runs(...options)).map(({ run }) => run);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cadre-runs-'));
  const store = fileStore(dir);
  const now = Date.now();
  const all: Record<string, readonly RunEvent[]> = {
    r1: [{ ...runStart('r1', 'About the Mill'), at: now - 3 * DAY, label: 'mill' }, runEnd(1)],
    r2: [
      { ...runStart('r2', 'else', 'desk'), at: now - 3_600_000, thread: 't1', continues: 'r1' },
      modelStart(1, '0.0', 'q'),
      modelEnd(2, '0.0', 'a', 0.5),
      modelStart(3, '0.1', 'q'),
      { type: 'run-resume', seq: 4, at: now },
      runEnd(5, { kind: 'failed', fault, agent: 'greeter' }),
    ],
    r3: [
      { ...runStart('r3', 'else'), at: now, thread: 't1' },
      { type: 'op-start', seq: 1, at: now, path: '0.0', op: signal },
    ],
  };
  const call = { id: 'c1', name: 'nowhere', arguments: {} };
  const message = { role: 'assistant', text: '', calls: [call] };
  const told = { role: 'tool', call: 'c1', name: 'nowhere', result: { status: 'error', text: 'There is none.' } };
  const [asking, next] = [modelEnd(2, '0.0', ''), modelStart(3, '0.1', '')];
  const value = { ...(asking.result as { value: object }).value, message };
  all['r0'] = [
    { ...runStart('r0', 'long ago'), at: now - 90 * DAY, label: 'refused' },
    modelStart(1, '0.0', 'q'),
    { ...asking, result: { ok: true, value } } as RunEvent,
    { ...next, op: { ...next.op, added: [told] } } as RunEvent,
    modelEnd(4, '0.1', 'a', 0.5),
    runEnd(5),
  ];
  for (const [run, events] of Object.entries(all)) await write(store, run, events);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('runs are listed that fit all options', async () => {
  expect(await names()).toEqual(['r3', 'r2', 'r1', 'r0']);
  expect(await names('--label', 'mill')).toEqual(['r1']);
  expect(await names('--thread', 't1')).toEqual(['r3', 'r2']);
  expect(await names('--agent', 'desk')).toEqual(['r2']);
  expect(await names('--text', 'the mill')).toEqual(['r1']);
  expect(await names('--since', '2h')).toEqual(['r3', 'r2']);
  expect(await names('--since', '30d', '--thread', 't1')).toEqual(['r3', 'r2']);
  expect(await names('--since', '2020-01-01')).toEqual(['r3', 'r2', 'r1', 'r0']);
  expect(await names('--outcome', 'failed')).toEqual(['r2']);
  expect(await names('--outcome', 'answered', '--outcome', 'broken-off')).toEqual(['r3', 'r1', 'r0']);
  expect(await names('--outcome', 'answered', '--outcome', 'broken-off', '--limit', '1')).toEqual(['r3']);
  expect(await names('--waiting')).toEqual(['r3']);
});

test('a run is told with its thread, who took part, where and why it broke, and what is not known of its cost', async () => {
  expect(await runs('--outcome', 'failed')).toEqual([
    expect.objectContaining({
      thread: 't1',
      continues: 'r1',
      agents: ['desk', 'greeter'],
      stage: 'greeter',
      fault: { code: 'model/server', message: 'It broke in two lines.' },
      waiting: 0,
      usd: 0.5,
      unpriced: 1,
      inDoubt: 1,
      atLeast: true,
    }),
  ]);
  expect((await cli(['runs', '--outcome', 'failed', '--store', dir])).stdout).toContain('≥ $0.500');
});

test('a run that waits for a person says so while a process has it, and calls that nobody made are counted', async () => {
  const store = fileStore(dir);
  const lease = await store.claim('r3', 2);
  try {
    const shown = (await cli(['runs', '--store', dir])).stdout;
    expect(shown.split('\n').find((line) => line.startsWith('r3'))).toContain('waits for you');
    const one = (await cli(['show', 'r3', '--store', dir])).stdout;
    expect(one).toMatch(/outcome +waits for you/);
  } finally {
    await lease.release();
  }
  expect((await cli(['runs', '--store', dir])).stdout).toContain('answered, 1 refused');
});

test('options that no run fits, and options that are wrong, are told', async () => {
  const none = await cli(['runs', '--label', 'none', '--store', dir]);
  expect(none).toMatchObject({ code: 0, stdout: '' });
  expect(none.stderr).toContain(`No run in ${dir} fits these options.`);
  const since = await cli(['runs', '--since', 'soon', '--store', dir]);
  expect(since.code).toBe(2);
  expect(since.stderr).toContain(
    '--since takes a duration such as 2h or 7d, or a date such as 2026-11-15, not "soon".',
  );
  expect((await cli(['runs', '--outcome', 'done', '--store', dir])).stderr).toContain('--outcome takes answered,');
});

test('a subcommand has the options that it shares with the list to itself', async () => {
  const pruned = await cli(['runs', 'prune', '--older-than', '0s', '--outcome', 'failed', '--dry-run', '--store', dir]);
  expect(pruned.stderr).toContain('1 run and 0 blobs would be removed');
  expect(pruned.stdout).toContain('r2');
});
