import { expect, test } from 'vitest';
import type { SessionInput } from '../kernel/session.ts';
import { chain } from './chain.ts';
import type { PatternContext } from './pattern.ts';

test('an agent with a chain gets all that its session was given, but for what is for the last stage', () => {
  const context = { agent: 'a', card: () => ({ input: { format: 'text' } }) } as unknown as PatternContext;
  const given = {
    request: { text: 'hello' },
    preamble: 'You sit in a team.',
    maxTurns: 3,
    analysis: 'an advisor found this',
    keep: true,
    seat: { team: 't' },
    contract: { format: 'json' },
    'a field of tomorrow': 1,
  } as unknown as SessionInput;
  let got: SessionInput | undefined;
  const wrapped = chain(
    { trigger: 'next', pass: 'answer', stages: [{ to: 'b' }] },
    context,
  )((input) => {
    got = input;
    throw new Error('the test has seen enough');
  });
  expect(() => wrapped(given).next()).toThrow('the test has seen enough');
  expect(got).toEqual({ ...given, keep: undefined, seat: undefined, contract: { format: 'text' } });
});
