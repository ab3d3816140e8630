// Following a journal on the disk, at the moments that two processes seldom hit.

import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunEvent, RunFact } from '../../journal/event.ts';
import { runEnd, runStart } from '../../journal/store.conformance.ts';
import { fileStore } from './file-store.ts';

let dir: string;
let folder: string;
let journal: string;
const stop = new AbortController();
const lines = (...events: readonly RunEvent[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const fact = (seq: number, value: unknown): RunFact => ({ type: 'fact', seq, at: 1, key: `k${seq}`, value });
const follow = () => {
  const seen = fileStore(dir).follow('r1', 0, stop.signal)[Symbol.asyncIterator]();
  return async () => (await seen.next()).value as RunEvent | undefined;
};

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cadre-follow-'));
  folder = join(dir, 'runs', 'r1');
  journal = join(folder, 'events.jsonl');
  mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('an event that was told is not read again', async () => {
  const first = lines(runStart('r1'), fact(1, 'a'));
  writeFileSync(journal, first);
  const next = follow();
  expect(await next()).toEqual(runStart('r1'));
  expect(await next()).toEqual(fact(1, 'a'));
  writeFileSync(journal, 'x'.repeat(first.length), { flag: 'r+' });
  appendFileSync(journal, lines(fact(2, 'b'), runEnd(3)));
  expect(await next()).toEqual(fact(2, 'b'));
  expect(await next()).toEqual(runEnd(3));
});

test('an event is told when its line is whole, within a character too', async () => {
  const line = Buffer.from(lines(fact(1, 'é漢')));
  writeFileSync(journal, lines(runStart('r1')));
  const next = follow();
  expect(await next()).toEqual(runStart('r1'));
  const waiting = next();
  for (let at = 0; at < line.length; at++) {
    appendFileSync(journal, line.subarray(at, at + 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await waiting).toEqual(fact(1, 'é漢'));
});

test('events that a fenced process writes after its journal was copied are not told', async () => {
  writeFileSync(journal, lines(runStart('r1'), fact(1, 'a')));
  writeFileSync(join(folder, 'taken-over'), '');
  const next = follow();
  expect(await next()).toEqual(runStart('r1'));
  expect(await next()).toEqual(fact(1, 'a'));
  const waiting = next();
  const draft = `${journal}.abc.draft`;
  copyFileSync(journal, draft);
  appendFileSync(journal, lines(fact(2, 'of the fenced one')));
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
  appendFileSync(draft, lines(fact(2, 'of the next one')));
  renameSync(draft, journal);
  rmSync(join(folder, 'taken-over'));
  expect(await waiting).toEqual(fact(2, 'of the next one'));
});

test('after a cut-off write, what is written in its place is told', async () => {
  const kept = lines(runStart('r1'));
  writeFileSync(journal, kept + lines(fact(1, 'x'.repeat(100))));
  const next = follow();
  expect(await next()).toEqual(runStart('r1'));
  expect(await next()).toMatchObject({ seq: 1 });
  const waiting = next();
  writeFileSync(journal, kept + lines(fact(1, 'again'), fact(2, 'b')));
  expect(await waiting).toEqual(fact(2, 'b'));
});

test('a damaged line is an error that names it, after what stands before it was told', async () => {
  writeFileSync(journal, `${lines(runStart('r1'))}nonsense\n`);
  const next = follow();
  expect(await next()).toEqual(runStart('r1'));
  await expect(next()).rejects.toThrow(/events\.jsonl:2 cannot be read/);
});

test('a long journal is followed to its end, over many batches', async () => {
  const events: RunEvent[] = [runStart('r1')];
  for (let seq = 1; seq < 3000; seq++) events.push(fact(seq, 'x'.repeat(500)));
  events.push(runEnd(3000));
  writeFileSync(journal, lines(...events));
  const seen: RunEvent[] = [];
  for await (const event of fileStore(dir).follow('r1', 2500, stop.signal)) seen.push(event);
  expect(seen).toEqual(events.slice(2500));
});
