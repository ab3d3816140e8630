// Runs whose names, texts and counts are chosen by somebody else: what a view writes, and what it takes to write it,
// grows with them and no faster.

import { expect, test } from 'vitest';
import { liveTree } from '../../src/cli/render/live-tree.ts';
import { table } from '../../src/cli/render/table.ts';
import { treeText } from '../../src/cli/render/tree-text.ts';
import { plain } from '../../src/cli/screen/terminal.ts';
import type { RunEvent } from '../../src/journal/event.ts';
import { fault } from '../../src/kernel/fault.ts';
import type { SessionProgress } from '../../src/views/progress/progress.ts';
import { transcript } from '../../src/views/talk/transcript.ts';
import type { OpNode } from '../../src/views/tree/op-tree.ts';

const NONE = { usd: 0, unpriced: 0, calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const LONG = 'n'.repeat(1_000_000);

const node = (kind: OpNode['kind'], more: Partial<OpNode>): OpNode => ({
  path: '0',
  kind,
  startedAt: 0,
  state: 'done',
  attempts: 1,
  own: NONE,
  inclusive: NONE,
  children: [],
  ...more,
});

const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length, 0);

test('one long name does not make the other rows of a tree as long', () => {
  const tools = [LONG, ...Array.from({ length: 1000 }, () => 'list_files')].map((name) => node('tool', { name }));
  const root = node('run', { agent: 'desk', children: tools });
  const lines = treeText(root, { paint: plain });
  expect(lines[1]).toContain(LONG);
  expect(sizeOf(lines)).toBeLessThan(LONG.length + 500_000);
  expect(sizeOf(treeText(root, { paint: plain, columns: 100 }))).toBeLessThan(200_000);
});

test('one long cell does not make the other rows of a table as long', () => {
  const rows = [['x', LONG, 'y'], ...Array.from({ length: 1000 }, () => ['x', 'short', 'y'])];
  const columns = [{ title: 'A' }, { title: 'B' }, { title: 'C', flexible: true as const }];
  const lines = table(columns, rows);
  expect(lines[1]).toBe(`x  ${LONG}  y`);
  expect(sizeOf(lines)).toBeLessThan(LONG.length + 500_000);
  expect(sizeOf(table(columns, rows, 100))).toBeLessThan(200_000);
});

/** The amount of text in which `work` replaces something. */
function replacedIn(work: () => void): number {
  let length = 0;
  const replaceAll = String.prototype.replaceAll;
  String.prototype.replaceAll = function (this: string, ...given: Parameters<typeof replaceAll>) {
    length += this.length;
    return replaceAll.apply(this, given);
  } as typeof replaceAll;
  try {
    work();
  } finally {
    String.prototype.replaceAll = replaceAll;
  }
  return length;
}

test('the live tree looks only at the beginning of a long fault, in every frame', () => {
  const session: SessionProgress = {
    session: '0',
    agent: 'desk',
    trigger: 'start',
    depth: 0,
    turn: 1,
    activity: { kind: 'failed', outcome: 'failed', fault: fault('internal', LONG) },
    totals: NONE,
    startedAt: 0,
    snippet: '',
    retries: 0,
    refused: 0,
  };
  const NOTHING = { failed: 0, denied: 0, changesDenied: 0, refused: 0 };
  const screen = { columns: 100, rows: 20, now: 1, paint: plain, maxTurns: () => undefined };
  const looked = replacedIn(() =>
    liveTree({ run: 'r', startedAt: 0, totals: NONE, calls: NOTHING, sessions: [session] }, screen),
  );
  expect(looked).toBeLessThan(20_000);
});

test('the results of many calls of one reply are put in order without going through them for each', () => {
  const calls = Array.from({ length: 2000 }, (_, index) => ({ id: `c${index}`, name: 'list_files', arguments: {} }));
  const model = { kind: 'model', agent: 'desk', session: '0', turn: 1, models: [], added: [] };
  const reply = { ok: true, value: { message: { role: 'assistant', text: '', calls }, spent: {} } };
  const ended = [...calls].reverse().flatMap((call, index) => [
    { type: 'op-start', path: `0.${index + 2}`, at: 1, op: { kind: 'tool', agent: 'desk', call } },
    {
      type: 'op-end',
      path: `0.${index + 2}`,
      at: 1,
      kind: 'tool',
      result: { ok: true, value: { status: 'ok', text: call.id } },
    },
  ]);
  const events = [
    { type: 'run-start', run: 'r', agent: 'desk', input: { text: '' }, at: 0 },
    { type: 'op-start', path: '0.1', at: 0, op: model },
    { type: 'op-end', path: '0.1', at: 1, kind: 'model', result: reply },
    ...ended,
  ] as unknown as readonly RunEvent[];
  const search = Array.prototype.indexOf;
  let searches = 0;
  Array.prototype.indexOf = function (...given) {
    searches++;
    return search.apply(this, given);
  };
  try {
    const [talk] = transcript(events);
    const order = talk?.entries.flatMap(({ message }) => (message.role === 'tool' ? [message.call] : []));
    expect(order).toEqual(calls.map(({ id }) => id));
  } finally {
    Array.prototype.indexOf = search;
  }
  expect(searches).toBeLessThan(100);
});
