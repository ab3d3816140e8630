import { expect, test } from 'vitest';
import { cancelledOutcome, type Outcome, runOutcome } from './outcome.ts';

test('a run ends answered or broken; a session that was routed or left is not the end of one', () => {
  const answered: Outcome = { kind: 'answered', text: 'Yes.' };
  expect(runOutcome(answered)).toBe(answered);
  expect(runOutcome(cancelledOutcome('Enough.'))).toMatchObject({ kind: 'cancelled', fault: { message: 'Enough.' } });
  expect(() => runOutcome({ kind: 'routed', to: 'refunds' })).toThrow('a run cannot end as routed');
  expect(() => runOutcome({ kind: 'left', success: true, text: '' })).toThrow('a run cannot end as left');
});
