// Where the ends of ops stand in a journal on the disk.

import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunEvent } from '../../event.ts';
import { faultCode, modelEnd, modelStart, runStart } from '../../store.conformance.ts';
import { opEndIndex } from './op-ends.ts';

let dir: string;
let file: string;
const lines = (...events: readonly RunEvent[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cadre-op-ends-'));
  file = join(dir, 'events.jsonl');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('lines of every length and both orders of fields are found, in one look and in many', () => {
  const events: RunEvent[] = [runStart('r1')];
  for (let nth = 0; nth < 60; nth++) {
    const size = [0, 10, 500, 262_000, 262_144, 300_000, 3][nth % 7] as number;
    const { type, seq, at, ...rest } = modelEnd(nth + 1, `0.${nth}`, 'é'.repeat(size / 2));
    events.push(nth % 2 === 0 ? { type, seq, at, ...rest } : { seq, at, type, ...rest });
  }
  writeFileSync(file, lines(...events));
  const index = opEndIndex();
  for (const end of events.slice(1)) expect(index.find(file, (end as { path: string }).path)).toEqual(end);

  const growing = opEndIndex();
  writeFileSync(file, '');
  for (const event of events) {
    const bytes = Buffer.from(lines(event));
    appendFileSync(file, bytes.subarray(0, bytes.length - 3));
    const { path } = event as { path?: string };
    if (path !== undefined) expect(growing.find(file, path)).toBeUndefined();
    appendFileSync(file, bytes.subarray(bytes.length - 3));
    if (path !== undefined) expect(growing.find(file, path)).toEqual(event);
  }
});

test('what was looked through is not read again', () => {
  const first = lines(runStart('r1'), modelStart(1, '0.0', 'q'));
  writeFileSync(file, first + lines(modelEnd(2, '0.0', 'a')));
  const index = opEndIndex();
  expect(index.find(file, '0.0')).toEqual(modelEnd(2, '0.0', 'a'));
  const other = lines(modelEnd(1, '0.7', ''));
  writeFileSync(file, other + 'x'.repeat(first.length - other.length - 1), { flag: 'r+' });
  appendFileSync(file, lines(modelEnd(3, '0.1', 'b')));
  expect(index.find(file, '0.7')).toBeUndefined();
  expect(index.find(file, '0.1')).toEqual(modelEnd(3, '0.1', 'b'));
  expect(index.find(file, '0.0')).toEqual(modelEnd(2, '0.0', 'a'));
});

test('a journal that is another file, or has something else at that place, is looked through again', () => {
  writeFileSync(file, lines(runStart('r1'), modelEnd(1, '0.0', 'one'), modelEnd(2, '0.1', 'two')));
  const index = opEndIndex();
  expect(index.find(file, '0.1')).toEqual(modelEnd(2, '0.1', 'two'));
  writeFileSync(file, lines(runStart('r1'), modelEnd(1, '0.1', 'two'), modelEnd(2, '0.0', 'one')));
  expect(index.find(file, '0.1')).toEqual(modelEnd(1, '0.1', 'two'));
  writeFileSync(`${file}.draft`, lines(runStart('r1'), modelEnd(1, '0.2', 'x'.repeat(1000))));
  renameSync(`${file}.draft`, file);
  expect(index.find(file, '0.2')).toMatchObject({ seq: 1 });
  expect(index.find(file, '0.1')).toBeUndefined();
});

test('a damaged end is an error that names its line, and other damage does no harm', () => {
  const [start = '', end = ''] = lines(runStart('r1'), modelEnd(1, '0.0', 'one')).split('\n');
  writeFileSync(file, `${start}\n${end.slice(0, -5)}\nnonsense\n${lines(modelEnd(3, '0.1', 'two'))}`);
  const index = opEndIndex();
  expect(() => index.find(file, '0.0')).toThrow(faultCode('journal/corrupt'));
  expect(() => index.find(file, '0.0')).toThrow(/events\.jsonl:2/);
  expect(index.find(file, '0.1')).toEqual(modelEnd(3, '0.1', 'two'));
});

test('what a newer release wrote is refused', () => {
  writeFileSync(file, lines({ ...runStart('r1'), version: 99 }, modelEnd(1, '0.0', 'one')));
  expect(() => opEndIndex().find(file, '0.0')).toThrow(faultCode('journal/version'));
});

test('a run that was forgotten for others is looked through again', () => {
  const index = opEndIndex();
  for (let nth = 0; nth < 40; nth++) {
    const one = join(dir, `${nth}.jsonl`);
    writeFileSync(one, lines(runStart('r1'), modelEnd(1, '0.0', String(nth))));
    expect(index.find(one, '0.0')).toEqual(modelEnd(1, '0.0', String(nth)));
  }
  expect(index.find(join(dir, '0.jsonl'), '0.0')).toEqual(modelEnd(1, '0.0', '0'));
});
