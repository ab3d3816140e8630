// The count of calls that bring the same again. What a session makes of it is tested in test/circles.test.ts.

import { expect, test } from 'vitest';
import { errorResult, okResult, type ToolResult } from '../message.ts';
import { type Circles, countCalls, type MadeCall } from './circles.ts';
import { plainTools, type SessionTool } from './session-tool.ts';
import { withoutDurations } from './told-durations.ts';

const TOOLS = new Map(
  plainTools('ann', {
    tools: ['look', 'list', 'edit', 'check', 'status'].map((name) => ({ name, description: '', parameters: true })),
    approve: [],
    readOnly: ['look', 'list', 'status'],
    uncounted: ['status'],
  }).map((tool) => [tool.spec.name, tool]),
);

type Call = readonly [name: string, args?: unknown, result?: ToolResult];

const limits = { warn: 3, stop: 5, except: [] as readonly string[] };

/** The turns in which the model is told, and the one that ends the session. */
function play(turns: readonly (readonly Call[])[], stuck = limits, tools: ReadonlyMap<string, SessionTool> = TOOLS) {
  const circles: Circles = new Map();
  const told: string[] = [];
  for (const [index, calls] of turns.entries()) {
    const made = calls.map(([name, given = {}, result = okResult('the same')], place): MadeCall => {
      return { call: { id: `c${place}`, name, arguments: given }, result, tool: tools.get(name) };
    });
    const { notes, end } = countCalls(circles, made, index + 1, { agent: 'ann', stuck });
    for (const [call, { text }] of notes) told.push(`${index + 1} ${call.name}: ${text}`);
    if (end !== undefined) return { told, ended: index + 1, end };
  }
  return { told };
}

const times = (count: number, ...calls: readonly Call[]): readonly (readonly Call[])[] =>
  Array.from({ length: count }, () => calls);

test('the third same call with the same result is told of, and the fifth ends the session', () => {
  const { told, ended, end } = play(times(9, ['look']));
  expect(told[0]).toBe(
    '3 look: Same call, same result as in turn 1, 3 times now. Do something else, or give your answer.',
  );
  expect(told).toHaveLength(3);
  expect(ended).toBe(5);
  expect(end).toMatchObject({ code: 'turns/no-progress', details: { agent: 'ann', tool: 'look', times: 5 } });
  expect(end?.message).toContain('(turns 1 to 5)');
});

test('a call that a crash broke off does not count, because nobody knows its result', () => {
  const broken = errorResult('tool/in-doubt: This call of edit had begun when the process died.');
  expect(play(times(9, ['edit', {}, broken])).told).toEqual([]);
  expect(play(times(9, ['edit', {}, errorResult('tool/timeout: late')])).ended).toBe(5);
});

test('a result with a handle is told of with its handle', () => {
  const long = { ...okResult('long'), handle: '0.7' };
  expect(play(times(3, ['look', {}, long])).told[0]).toContain('read_result({"handle": "0.7"})');
});

test('the order of arguments makes no difference, and another argument or another result does', () => {
  expect(play([[['look', { a: 1, b: 2 }]], [['look', { b: 2, a: 1 }]], [['look', { a: 1, b: 2 }]]]).told).toHaveLength(
    1,
  );
  expect(play([1, 2, 3, 4, 5].map((at) => [['look', { at }]])).told).toEqual([]);
  expect(play([1, 2, 3, 4, 5].map((at) => [['look', {}, okResult(`at ${at}`)]])).told).toEqual([]);
});

test('errors count, and those of calls to a tool that does not exist', () => {
  expect(play(times(5, ['look', {}, errorResult('no such file')])).ended).toBe(5);
  expect(play(times(5, ['lok', {}, errorResult('There is no tool named lok.')])).ended).toBe(5);
});

test('calls that alternate are counted each for itself, while they only read', () => {
  const turns = [1, 2, 3, 4, 5].flatMap((): readonly (readonly Call[])[] => [[['look']], [['list']]]);
  expect(play(turns).ended).toBe(9);
});

test('another tool that may have changed something begins the count anew, if it succeeded', () => {
  const round = (result: ToolResult): readonly (readonly Call[])[] => [
    [['check', {}, errorResult('1 failed')]],
    [['edit', { n: result.text }, result]],
  ];
  expect(play([1, 2, 3, 4, 5, 6].flatMap((n) => round(okResult(`edited ${n}`)))).told).toEqual([]);
  expect(play([1, 2, 3, 4, 5, 6].flatMap((n) => round(errorResult(`no match ${n}`)))).ended).toBe(9);
});

test('the same tool does not begin its own count anew', () => {
  expect(play(times(5, ['edit'])).ended).toBe(5);
});

test('calls of one reply count once', () => {
  expect(play(times(4, ['look'], ['look'], ['look'])).told).toHaveLength(6);
  expect(play(times(2, ['look'], ['look'], ['look'])).told).toEqual([]);
});

test('a tool that is left out is not counted: by its source, or by its name', () => {
  expect(play(times(9, ['status'])).told).toEqual([]);
  expect(play(times(9, ['look']), { ...limits, except: ['look'] }).told).toEqual([]);
});

test('other limits hold instead', () => {
  const { told, ended } = play(times(9, ['look']), { warn: 2, stop: 3, except: [] });
  expect([told.length, ended]).toEqual([2, 3]);
});

test.each([
  ['exit code 1, 12 ms\nfailed', 'exit code 1, 1.4 s\nfailed'],
  ['{"success":true,"duration_ms":1234}', '{"success":true,"duration_ms":7}'],
  ['Tests  3 passed\nDuration  1.23s', 'Tests  3 passed\nDuration  980ms'],
  ['Ran 5 tests in 0.003s', 'Ran 5 tests in 0.017s'],
  ['5 passed in 0.03s', '5 passed in 0.05s'],
  ['✓ opens (12 ms)', '✓ opens (7 ms)'],
  ['stopped after 2 s.', 'stopped after 3 s.'],
])('%j and %j differ only in the time that they took', (left, right) => {
  expect(withoutDurations(left)).toBe(withoutDurations(right));
});

test.each([
  ['ready in 30 s', 'ready in 20 s'],
  ['12 of 40 done', '13 of 40 done'],
  ['time: 12:30', 'time: 12:31'],
  ['exit code 1, 12 ms', 'exit code 2, 12 ms'],
])('%j and %j are different news', (left, right) => {
  expect(withoutDurations(left)).not.toBe(withoutDurations(right));
});
