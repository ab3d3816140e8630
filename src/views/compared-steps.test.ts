import { expect, test } from 'vitest';
import type { RunEvent } from '../journal/event.ts';
import { comparedSteps, stepCounts } from './compared-steps.ts';

const tool = (path: string, argument: string, result: string, seq: number): readonly RunEvent[] => [
  {
    seq,
    at: seq * 10,
    type: 'op-start',
    path,
    op: { kind: 'tool', agent: 'desk', call: { id: 'x', name: 'look', arguments: { at: argument } } },
  },
  {
    seq: seq + 1,
    at: seq * 10 + 5,
    type: 'op-end',
    path,
    kind: 'tool',
    result: { ok: true, value: { status: 'ok', text: result } },
  },
];

test('steps are told apart by what was asked and what came back', () => {
  const left = [
    ...tool('0.1', 'a', 'A', 1),
    ...tool('0.2', 'b', 'B', 3),
    ...tool('0.3', 'c', 'C', 5),
    ...tool('0.4', 'd', 'D', 7),
  ];
  const right = [
    ...tool('0.1', 'a', 'A', 1),
    ...tool('0.2', 'b', 'other', 3),
    ...tool('0.3', 'other', 'C', 5),
    ...tool('0.9', 'z', 'Z', 7),
  ];
  expect(comparedSteps(left, right).map(({ path, fate }) => [path, fate])).toEqual([
    ['0.1', 'same'],
    ['0.2', 'other answer'],
    ['0.3', 'other request'],
    ['0.4', 'only left'],
    ['0.9', 'only right'],
  ]);
});

const around = (path: string, answer: string, inner: readonly RunEvent[]): readonly RunEvent[] => [
  {
    seq: 0,
    at: 0,
    type: 'op-start',
    path,
    op: { kind: 'run', agent: 'pay', input: { text: 'Pay.' }, trigger: { kind: 'next' } },
  },
  ...inner,
  {
    seq: 99,
    at: 99,
    type: 'op-end',
    path,
    kind: 'run',
    result: { ok: true, value: { kind: 'answered', agent: 'pay', text: answer } },
  },
];

test('an op around others is no step where only its end differs', () => {
  const left = around('0.2', 'A', [...tool('0.2.1', 'a', 'same', 1), ...tool('0.2.2', 'b', 'A', 3)]);
  const right = around('0.2', 'B', [...tool('0.2.1', 'a', 'same', 1), ...tool('0.2.2', 'b', 'B', 3)]);
  const steps = comparedSteps(left, right);
  expect(steps.map(({ path, fate }) => [path, fate])).toEqual([
    ['0.2', 'around'],
    ['0.2.1', 'same'],
    ['0.2.2', 'other answer'],
  ]);
  expect(stepCounts(steps, 1)).toEqual({ different: 1, onOneSide: 0, sameAfter: 0 });
});
