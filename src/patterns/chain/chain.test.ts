// `next` and `handoff`, with their questions answered by hand.

import { expect, test } from 'vitest';
import { answered, ByHand, cardOf, contextOf, inputFor, sessionOf } from '../../../test/support/by-hand.ts';
import { type FaultCode, fault } from '../../kernel/fault.ts';
import { brokenOutcome, type Outcome } from '../../kernel/outcome.ts';
import type { SessionInput } from '../../kernel/session/session-spec.ts';
import type { HopTarget } from '../hop.ts';
import type { PatternContext } from '../pattern.ts';
import { chain } from './chain.ts';
import type { ChainConfig } from './key.ts';

const stagesOf = (...stages: readonly HopTarget[]): ChainConfig => ({
  trigger: 'next',
  steps: stages.map((stage) => ({ kind: 'agent', ...stage })),
  pass: 'answer',
});

function begin(
  config: ChainConfig,
  own: Outcome,
  input: SessionInput = inputFor('please'),
  context: PatternContext = contextOf('ann'),
) {
  const session = sessionOf(own);
  return { session, run: new ByHand(chain(config, context)(session)(input)) };
}

test('each stage is asked what the one before it answered, and the last answer is the outcome', () => {
  const { run } = begin(stagesOf({ to: 'bob' }, { to: 'cid' }), answered('one'));
  expect(run.asked).toEqual({
    kind: 'run',
    agent: 'bob',
    input: { text: 'one', reason: 'Chained execution from agent__ann', origin: 'please' },
    trigger: { kind: 'next', chainTrigger: 'next', chainParent: 'agent__ann', chainStageIndex: 0 },
  });
  run.answer(answered('two'));
  expect(run.asked).toMatchObject({
    agent: 'cid',
    input: { text: 'two', origin: 'please' },
    trigger: { chainParent: 'agent__bob', chainStageIndex: 1 },
  });
  run.answer(answered('three'));
  expect(run.value).toEqual(answered('three', { chainedStages: ['agent__ann', 'agent__bob', 'agent__cid'] }));
});

test('request+answer hands on the request, and the answer below it', () => {
  const { run } = begin({ ...stagesOf({ to: 'bob' }), pass: 'request+answer' }, answered('one'));
  expect(run.effect('run').input.text).toBe('## ORIGINAL USER REQUEST\n\nplease\n\n## ANSWER FROM AGENT `ann`\n\none');
});

test('the contract, the wish to ask again and the seat of a team go to the last stage alone', () => {
  const contract = { format: 'json' as const, schema: {} };
  const seat = { team: 'desk', channel: '0', role: 'member' as const, memberId: 'ann' };
  const input = inputFor('please', { contract, keep: true, seat });
  const { session, run } = begin(stagesOf({ to: 'bob' }, { to: 'cid' }), answered('one'), input);
  expect(session.heard[0]).toMatchObject({ contract: undefined, keep: undefined, seat: undefined });
  expect(run.asked).toMatchObject({ agent: 'bob', contract: undefined, keep: undefined, seat: undefined });
  run.answer(answered('two'));
  expect(run.asked).toMatchObject({ agent: 'cid', contract, keep: true, seat });
});

test('the agent after one that did not answer is not run', () => {
  const failed = brokenOutcome(fault('model/server', '503'));
  expect(begin(stagesOf({ to: 'bob' }), failed).run.value).toEqual(failed);
});

const gaveUp: readonly FaultCode[] = ['model/server', 'turns/exhausted', 'timeout'];

test.each(gaveUp)('else takes the place of a stage that ended with %s, on the same input', (code) => {
  const { run } = begin(stagesOf({ to: 'bob', else: 'eve' }), answered('one'));
  run.answer(brokenOutcome(fault(code, 'no')));
  expect(run.asked).toMatchObject({ agent: 'eve', input: { text: 'one' }, trigger: { insteadOf: 'bob' } });
  run.answer(answered('two'));
  expect(run.value).toMatchObject({ text: 'two', chainedStages: ['agent__ann', 'agent__eve'] });
});

const isOver: readonly FaultCode[] = ['budget/exceeded', 'cancelled'];

test.each(isOver)('else does not run where the stage ended with %s: that ends the chain', (code) => {
  const { run } = begin(stagesOf({ to: 'bob', else: 'eve' }, { to: 'cid' }), answered('one'));
  const ended = brokenOutcome(fault(code, 'no'));
  run.answer(ended);
  expect(run.value).toMatchObject(ended);
});

test('a stage that takes JSON is given JSON with the reason, and an answer that does not fit breaks at the seam', () => {
  const schema = { type: 'object', properties: { reason: {}, city: {} }, required: ['city', 'reason'] };
  const context = contextOf('ann', [cardOf('bob', { input: { format: 'json', schema } })]);
  const fits = begin(stagesOf({ to: 'bob' }), answered('{"city":"Oslo"}'), inputFor('please'), context);
  expect(fits.session.heard[0]?.contract).toEqual({
    format: 'json',
    schema: { type: 'object', properties: { city: {} }, required: ['city'] },
  });
  expect(fits.run.effect('run').input.data).toEqual({ city: 'Oslo', reason: 'Chained execution from agent__ann' });
  for (const wrong of ['{}', 'not JSON']) {
    const { run } = begin(stagesOf({ to: 'bob' }), answered(wrong), inputFor('please'), context);
    expect(run.value).toMatchObject({ kind: 'failed', agent: 'ann', fault: { code: 'invalid_chain_payload' } });
  }
});

test('stop-after ends the run after that stage, with what has been answered', () => {
  const context = contextOf('ann', [], { stopAfter: 'bob' });
  const { run } = begin(stagesOf({ to: 'bob' }, { to: 'cid' }), answered('one'), inputFor('please'), context);
  run.answer(answered('two'));
  expect(run.value).toMatchObject({ text: 'two', stoppedAfter: 'bob', chainedStages: ['agent__ann', 'agent__bob'] });
});

test('stop-after the last stage of a chain within a chain ends the outer chain too', () => {
  const stopAfter = 'cid';
  const bob = contextOf('bob', [], { stopAfter });
  const inner = begin(stagesOf({ to: 'cid' }), answered('two'), inputFor('one'), bob).run;
  inner.answer(answered('three'));
  const ann = contextOf('ann', [], { stopAfter });
  const outer = begin(stagesOf({ to: 'bob' }, { to: 'dan' }), answered('one'), inputFor('please'), ann).run;
  outer.answer(inner.value);
  const chainedStages = ['agent__ann', 'agent__bob', 'agent__cid'];
  expect(outer.value).toEqual(answered('three', { stoppedAfter: 'cid', chainedStages })); // dan is not asked
});

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
    { trigger: 'next', pass: 'answer', steps: [{ kind: 'agent', to: 'b' }] },
    context,
  )((input) => {
    got = input;
    throw new Error('the test has seen enough');
  });
  expect(() => wrapped(given).next()).toThrow('the test has seen enough');
  expect(got).toEqual({ ...given, keep: undefined, seat: undefined, contract: { format: 'text' } });
});

test('the request that is handed on is the one that the run began with, however many hops there were', () => {
  const request = { text: 'an answer', origin: 'what the user asked' };
  const config = { ...stagesOf({ to: 'bob' }), pass: 'request+answer' as const };
  const { run } = begin(config, answered('one'), inputFor('', { request }));
  expect(run.effect('run').input).toMatchObject({ base: 'what the user asked', origin: 'what the user asked' });
});
