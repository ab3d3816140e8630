import { expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/journal/event.ts';
import { comparedOps, differing } from './ops.ts';

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

test('ops are told apart by what was asked and what came back', () => {
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
  expect(comparedOps(left, right).map(({ path, fate }) => [path, fate])).toEqual([
    ['0.1', 'same'],
    ['0.2', 'other answer'],
    ['0.3', 'other request'],
    ['0.4', 'only left'],
    ['0.9', 'only right'],
  ]);
});

test('two texts are marked from the first word that differs to the last', () => {
  expect(differing('We are sorry. 189 EUR are back.', 'We are sorry. Your money is back.')).toEqual([
    { before: 'We are sorry. ', differs: '189 EUR are', after: ' back.' },
    { before: 'We are sorry. ', differs: 'Your money is', after: ' back.' },
  ]);
  expect(differing('same', 'same')[0]).toEqual({ before: 'same', differs: '', after: '' });
  expect(differing('', 'new')[1]).toEqual({ before: '', differs: 'new', after: '' });
});
