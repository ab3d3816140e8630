import { expect, test } from 'vitest';
import { type GiveVerdict, verdictIn } from './control.ts';

const bare: GiveVerdict = { kind: 'verdict', op: '0.1', approved: false } as GiveVerdict;

test('a verdict has the words that the person gave, and nothing where they gave none', () => {
  expect(verdictIn(bare)).toEqual({ approved: false });
  expect(Object.keys(verdictIn(bare))).toEqual(['approved']);
  const said = { note: 'not on a Friday', by: 'ada', scope: 'run', answer: 'blue' } as const;
  expect(verdictIn({ ...bare, ...said, seen: 'abcdef123456' })).toEqual({ approved: false, ...said });
  for (const key of Object.keys(said) as (keyof typeof said)[])
    expect(verdictIn({ ...bare, approved: true, [key]: said[key] })).toEqual({ approved: true, [key]: said[key] });
});
