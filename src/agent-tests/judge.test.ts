import { expect, test } from 'vitest';
import { type JudgeVerdict, judgeFailures } from './judge.ts';

const verdicts = (...good: readonly boolean[]): readonly JudgeVerdict[] =>
  good.map((one, index) => ({
    run: `r${index}`,
    good: one,
    why: one ? 'It says where.' : 'It says nothing.',
    totals: undefined as never,
  }));

const wanting = (atLeast: number) => ({ agent: 'critic', rubric: 'Says where.', repeat: 3, atLeast });

test('a case passes when the share of good verdicts reaches what is wanted', () => {
  expect(judgeFailures(verdicts(true, true, true), wanting(1))).toEqual([]);
  expect(judgeFailures(verdicts(true, false), wanting(0.5))).toEqual([]);
  expect(judgeFailures(verdicts(true, false, false), wanting(0.5))).toEqual([
    { what: 'critic found 1 of 3 good:\n- It says nothing.\n- It says nothing.' },
  ]);
});

test('a case without a verdict does not pass', () => {
  expect(judgeFailures([], wanting(1))).toHaveLength(1);
});
