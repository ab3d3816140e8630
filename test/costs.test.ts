// The cost of a run in a list is the cost in the ledger, whatever happened in it.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Attempt, OpEnd, OpStart, RunEvent } from '../src/journal/event.ts';
import { modelEnd, modelStart, runEnd, runStart, write } from '../src/journal/store.conformance.ts';
import type { RunStore } from '../src/journal/store.ts';
import { fileStore } from '../src/stores/file/file-store.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { ledger } from '../src/views/costs/ledger.ts';

const dir = mkdtempSync(join(tmpdir(), 'cadre-costs-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const attempt = (seq: number, path: string, spent: Attempt['spent'], then: Attempt['then']): Attempt => ({
  type: 'attempt',
  seq,
  at: 1000 + seq,
  path,
  number: 1,
  spent,
  fault: { code: 'model/cut-off', message: 'cut' },
  ms: 1,
  then,
});
const helperStart = (seq: number, path: string): OpStart => ({
  type: 'op-start',
  seq,
  at: 1000 + seq,
  path,
  op: { kind: 'run', agent: 'greeter/subagent', input: { text: 't' }, trigger: { kind: 'subagent', depth: 1 } },
});
const helperEnd = (seq: number, path: string): OpEnd => ({
  type: 'op-end',
  seq,
  at: 1000 + seq,
  path,
  kind: 'run',
  result: {
    ok: true,
    value: {
      kind: 'answered',
      text: 'done',
      record: {
        status: 'success',
        started_at: 1,
        duration_ms: 1,
        artifacts: [],
        truncated: [],
        calls: [
          { turn: 1, model: 'm', status: 'ok', usage: { input: 1, output: 1 }, usd: 0.5, started_at: 1, ms: 1 },
          { turn: 2, model: 'm', status: 'failed', fault: 'model/server', started_at: 1, ms: 1 },
          { turn: 2, model: 'm', status: 'in-doubt', started_at: 1 },
        ],
      },
    },
  },
});

const retry = { kind: 'retry', delayMs: 0 } as const;
const RUNS: Readonly<Record<string, { usd: number | undefined; unpriced: number; events: readonly RunEvent[] }>> = {
  'a failed attempt that cost something': {
    usd: 0.3,
    unpriced: 0,
    events: [
      modelStart(1, '0.0', 'q'),
      attempt(2, '0.0', { model: 'm', usage: { input: 1, output: 1 }, usd: 0.1 }, retry),
      modelEnd(3, '0.0', 'a', 0.2),
      runEnd(4),
    ],
  },
  'a failed attempt of unknown price': {
    usd: 0.2,
    unpriced: 1,
    events: [
      modelStart(1, '0.0', 'q'),
      attempt(2, '0.0', { model: 'm' }, retry),
      modelEnd(3, '0.0', 'a', 0.2),
      runEnd(4),
    ],
  },
  'a helper in a process of its own': {
    usd: 0.7,
    unpriced: 1,
    events: [
      modelStart(1, '0.0', 'q'),
      modelEnd(2, '0.0', 'a', 0.2),
      helperStart(3, '0.1'),
      helperEnd(4, '0.1'),
      runEnd(5),
    ],
  },
  'a call in doubt, and a helper that made none yet, then another try': {
    usd: 0.2,
    unpriced: 1,
    events: [
      modelStart(1, '0.0', 'q'),
      helperStart(2, '0.1'),
      { type: 'run-resume', seq: 3, at: 1003 },
      modelStart(4, '0.0', 'q'),
      modelEnd(5, '0.0', 'a', 0.2),
      runEnd(6),
    ],
  },
  'nothing but a call of unknown price': {
    usd: undefined,
    unpriced: 1,
    events: [modelStart(1, '0.0', 'q'), modelEnd(2, '0.0', 'a'), runEnd(3)],
  },
  'a call under way when it was broken off': {
    usd: 0.2,
    unpriced: 1,
    events: [modelStart(1, '0.0', 'q'), modelEnd(2, '0.0', 'a', 0.2), modelStart(3, '0.1', 'q')],
  },
};

/** The list counts what a fork paid itself, and apart from it what its run had paid before. */
const agrees = async (store: RunStore, run: string, events: readonly RunEvent[]): Promise<void> => {
  const row = (await store.list()).find((one) => one.run === run);
  const { usd, unpriced } = ledger(events).totals;
  expect(row?.unpriced).toBe(unpriced - (row?.takenOver?.unpriced ?? 0));
  expect((row?.usd ?? 0) + (row?.takenOver?.usd ?? 0)).toBeCloseTo(usd ?? 0, 9);
};

test.each(Object.entries(RUNS))(
  '%s costs the same in the list and in the ledger',
  async (name, { usd, unpriced, events }) => {
    const all = [runStart('r1'), ...events];
    for (const store of [memoryStore(), fileStore(join(dir, name))]) {
      await write(store, 'r1', all);
      expect((await store.list())[0]).toMatchObject({ unpriced, ...(usd !== undefined && { usd }) });
      await agrees(store, 'r1', all);
    }
    await agrees(fileStore(join(dir, name)), 'r1', all);
  },
);

test.each(Object.entries(RUNS))('%s costs the same when it is listed while it is written', async (name, { events }) => {
  const all = [runStart('r1'), ...events];
  const place = join(dir, `${name}, bit by bit`);
  const [writer, lister] = [fileStore(place), fileStore(place)];
  const lease = await writer.claim('r1', 0);
  for (const event of all) {
    await lease.append([event]);
    await lister.list();
  }
  await lease.release();
  for (const store of [lister, fileStore(place)]) await agrees(store, 'r1', all);
});

const GOLDEN = fileURLToPath(new URL('replay', import.meta.url));
const journals = readdirSync(GOLDEN, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'));

test.each(journals)('the journal %s costs the same in the list and in the ledger', async (file) => {
  const folder = join(dir, file, 'runs', 'r1');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'events.jsonl'), readFileSync(join(GOLDEN, file)));
  const store = fileStore(join(dir, file));
  const events: RunEvent[] = [];
  for await (const event of store.read('r1')) events.push(event);
  await agrees(store, 'r1', events);
});
