import { expect, test } from 'vitest';
import { fault } from './fault.ts';
import { brokenCall, cancelledOutcome, describe, isMadeByMap, type Outcome, runOutcome } from './outcome.ts';

test('a run ends answered or broken; a session that was routed or left is not the end of one', () => {
  const answered: Outcome = { kind: 'answered', text: 'Yes.' };
  expect(runOutcome(answered)).toBe(answered);
  expect(runOutcome(cancelledOutcome('Enough.'))).toMatchObject({ kind: 'cancelled', fault: { message: 'Enough.' } });
  expect(() => runOutcome({ kind: 'routed', to: 'refunds' })).toThrow('a run cannot end as routed');
  expect(() => runOutcome({ kind: 'left', success: true, text: '' })).toThrow('a run cannot end as left');
});

test('a broken call is told with what it wrote, which is taken out of its fault, else with what was written before', () => {
  const bare = fault('model/server', 'cut off');
  const wrote = (details: Readonly<Record<string, unknown>>) => ({ ...bare, details });
  expect(brokenCall(bare, '')).toEqual({ kind: 'failed', fault: bare });
  expect(brokenCall(bare, 'before')).toEqual({ kind: 'failed', fault: bare, partial: 'before' });
  expect(brokenCall(wrote({ written: 'so far' }), 'before')).toEqual({
    kind: 'failed',
    fault: bare,
    partial: 'so far',
  });
  const counted = { tokens: 3 };
  expect(brokenCall(wrote({ written: 'so far', counted }), '')).toEqual({
    kind: 'failed',
    fault: wrote({ counted }),
    partial: 'so far',
  });
  expect(brokenCall(wrote({ counted }), '')).toEqual({ kind: 'failed', fault: wrote({ counted }) });
  expect(brokenCall(wrote({ written: '' }), 'before')).toEqual({ kind: 'failed', fault: bare });
});

test('the answer of a map without a join was given by no session', () => {
  const items = [] as never;
  expect(isMadeByMap({ kind: 'answered', text: '', items })).toBe(true);
  expect(isMadeByMap({ kind: 'answered', text: '', items, session: '0.1' } as Outcome)).toBe(false);
  expect(isMadeByMap({ kind: 'answered', text: '' })).toBe(false);
  expect(isMadeByMap({ ...cancelledOutcome('Enough.'), items } as Outcome)).toBe(false);
});

test('an outcome is described by its word and its reason', () => {
  expect(describe(cancelledOutcome('Enough.'))).toBe('cancelled: Enough.');
  expect(describe({ kind: 'routed', to: 'refunds' })).toBe('routed to refunds');
  expect(describe({ kind: 'answered', text: 'Yes.' })).toBe('answered');
});
