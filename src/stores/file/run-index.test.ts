import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunEvent } from '../../journal/event.ts';
import { runEnd, runStart, wholeRun, write } from '../../journal/store.conformance.ts';
import type { RunQuery } from '../../journal/store.ts';
import { fileStore } from './file-store.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cadre-index-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const failed = runEnd(1, { kind: 'failed', fault: { code: 'internal', message: '"outcome":"answered" it said' } });

/** Runs whose inputs look like other fields of their lines, or have letters that JSON or lower case changes. */
async function fill(): Promise<void> {
  const store = fileStore(dir);
  const asked: readonly [text: string, more: Partial<RunEvent>][] = [
    ['plain', {}],
    ['says "agent":"b" and "outcome":"failed"', { label: 'one' }],
    [`a line\nbreak, a "quote" and a \\`, { thread: 't1' }],
    ['ÄÖ Σας K', { agent: 'b' }],
    [`${'long '.repeat(100)}needle`, { agent: 'b "c"', label: 'two' }],
  ];
  for (const [index, [text, more]] of asked.entries()) {
    for (const ending of ['answered', 'failed', 'none'] as const) {
      const run = `r${index}-${ending}`;
      const start = { ...runStart(run), input: { text }, ...more } as RunEvent;
      const rest = ending === 'failed' ? [failed] : wholeRun(run).slice(1, ending === 'none' ? 2 : undefined);
      await write(store, run, [start, ...rest]);
    }
  }
}

const QUERIES: readonly RunQuery[] = [
  {},
  { limit: 3 },
  { agent: 'b' },
  { agent: 'b "c"' },
  { outcome: 'failed' },
  { outcome: 'answered', agent: 'b' },
  { state: 'ended' },
  { state: 'broken-off' },
  { state: 'running' },
  { label: 'one' },
  { thread: 't1' },
  { threaded: true },
  { waiting: true },
  { text: 'PLAIN' },
  { text: '"quote"' },
  { text: 'line\nbreak' },
  { text: '\\' },
  { text: 'äö' },
  { text: 'k' },
  { text: 'needle' },
  { text: 'input' },
  { text: 'nowhere' },
];

test.each(QUERIES)('the index gives the same list as the journals do: %j', async (query) => {
  await fill();
  const names = async (): Promise<readonly string[]> => (await fileStore(dir).list(query)).map(({ run }) => run);
  rmSync(join(dir, 'runs.jsonl'), { force: true });
  const fromJournals = await names();
  await fileStore(dir).list(); // writes the index
  const fromIndex = await names();
  expect(fromIndex).toEqual(fromJournals);
  const again = fileStore(dir);
  await again.list();
  expect((await again.list(query)).map(({ run }) => run)).toEqual(fromJournals);
});

test('queries find what they must', async () => {
  await fill();
  await fileStore(dir).list();
  const count = async (query: RunQuery): Promise<number> => (await fileStore(dir).list(query)).length;
  expect(await count({ outcome: 'failed' })).toBe(5);
  expect(await count({ agent: 'b' })).toBe(3);
  expect(await count({ text: 'needle' })).toBe(3);
  expect(await count({ text: '"agent":"b"' })).toBe(3);
  expect(await count({ state: 'broken-off' })).toBe(5);
});

test('a filter that nothing fits lets the event loop turn', async () => {
  const journal = wholeRun('first');
  const writer = fileStore(dir);
  for (let index = 0; index < MANY; index++)
    await write(writer, `run-${index}`, [{ ...journal[0], run: `run-${index}` } as RunEvent, ...journal.slice(1)]);
  const store = fileStore(dir);
  await store.list();
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  const before = turns;
  setImmediate(count);
  expect(await store.list({ text: 'nowhere' })).toEqual([]);
  isDone = true;
  expect(turns - before).toBeGreaterThan(TURNS_OF_A_LOOK);
});

test('an index of an earlier release is made anew, and tells how far that is', async () => {
  await write(fileStore(dir), 'first', wholeRun('first'));
  const journal = readFileSync(join(dir, 'runs', 'first', 'events.jsonl'), 'utf8');
  for (let index = 1; index < MANY; index++) {
    mkdirSync(join(dir, 'runs', `run-${index}`));
    writeFileSync(join(dir, 'runs', `run-${index}`, 'events.jsonl'), journal.replaceAll('first', `run-${index}`));
  }
  const now = await fileStore(dir).list();
  const file = join(dir, 'runs.jsonl');
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, whole.replaceAll(/"refused":\d+,|"spent":\[[^\]]*\],/g, ''));
  const again = fileStore(dir);
  expect(again.counting()).toBeUndefined();
  const listed = again.list();
  await vi.waitFor(() => expect(again.counting()).toMatchObject({ of: MANY }), { interval: 1 });
  expect(again.counting()?.done).toBeGreaterThan(0);
  expect(await listed).toEqual(now);
  expect(again.counting()).toBeUndefined();
  expect(await fileStore(dir).list()).toEqual(now);
  expect(readFileSync(file, 'utf8').match(/"refused":0/g)).toHaveLength(MANY);
});

/** More than are counted before anything else gets a turn. */
const MANY = 600;
/** A list takes so many turns before it looks at its first run. */
const TURNS_OF_A_LOOK = 2;
