import { expect, test } from 'vitest';
import { expectationOf, proposed } from './expectation.ts';

const text = { kind: 'answered', agent: 'desk', text: 'It is here.' } as const;
const json = { ...text, data: { type: 'refund', amount: 189.5, items: ['mirror'], 'of us': true } };

test('a good answer proposes itself or its plain values, and a bad one nothing', () => {
  expect(proposed(text, 'good')).toEqual({ kind: 'equals', text: 'It is here.' });
  expect(proposed(json, 'good')).toEqual({ kind: 'json', text: '$.type: "refund"\n$.amount: 189.5' });
  expect(proposed({ ...text, data: [1] }, 'good')).toEqual({ kind: 'equals', text: '[1]' });
  for (const outcome of [text, json]) expect(proposed(outcome, 'bad')).toEqual({ kind: 'contains', text: '' });
});

test('a typed text becomes the expectation of the file as soon as no part is missing', () => {
  const of = (kind: 'contains' | 'equals' | 'json' | 'judge', typed: string, isJson = false, judge = '') =>
    expectationOf({ kind, text: typed, judge }, isJson);
  expect(of('contains', ' a list ')).toEqual({ answer: { contains: ['a list'] } });
  expect(of('equals', '[1]', true)).toEqual({ answer: { equals: [1] } });
  expect(of('equals', '[1]')).toEqual({ answer: { equals: '[1]' } });
  expect(of('json', '$.amount: 189.5\n\n $.order.id : "17"\n$.state: sent')).toEqual({
    answer: { json: { '$.amount': 189.5, '$.order.id': '17', '$.state': 'sent' } },
  });
  expect(of('json', 'amount: 189.5')).toBeUndefined();
  expect(of('contains', '  ')).toBeUndefined();
  expect(of('judge', 'It names one.')).toBeUndefined();
  expect(of('judge', 'It names one.', false, 'critic')).toEqual({
    judge: { agent: 'critic', rubric: 'It names one.' },
  });
});
