// A map, with its questions answered by hand.

import { expect, test } from 'vitest';
import { answered, ByHand, cardOf, contextOf, inputFor } from '../../../test/support/by-hand.ts';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome, type Outcome } from '../../kernel/outcome.ts';
import type { StepEnd, StepRun } from '../chain-step.ts';
import type { MapStep } from './map.ts';
import { runMap } from './run-map.ts';

const STEP: MapStep = { kind: 'map', each: 'parts', to: 'w', concurrent: 2, failures: 1000, pass: 'item' };

function begin(parts: unknown, more: Partial<MapStep> = {}, at: Partial<StepRun> = {}): ByHand<StepEnd> {
  const run: StepRun = {
    context: contextOf('ann', [cardOf('w'), cardOf('j')]),
    input: inputFor('please'),
    trigger: 'next',
    pass: 'answer',
    index: 0,
    isLast: true,
    upstream: 'ann',
    contractOf: () => undefined,
    mayEnd: true,
    ...at,
  };
  const answer = answered('', { data: { parts } });
  return new ByHand(runMap({ ...STEP, ...more }, run, answer));
}

/** Answers the look for a stop of each item, and then its run. */
const each = (run: ByHand<StepEnd>, ...outcomes: readonly Outcome[]): ByHand<StepEnd> =>
  run.join(run.branches().map((item, index) => item.answer({ messages: [] }).answer(outcomes[index]).value));

const failed = brokenOutcome(fault('model/server', 'down'));
const budget = (agent: string) => brokenOutcome(fault('budget/exceeded', 'spent', { agent }));

test('each item is a run of the worker a level below, with its place in the list', () => {
  const run = begin(['a', 7]);
  expect(run.asked).toMatchObject({ kind: 'parallel', concurrent: 2 });
  const runs = run.branches().map((item) => {
    expect(item.effect('take').inbox).toEqual({ session: '0', only: 'stop' });
    return item.answer({ messages: [] }).effect('run');
  });
  expect(
    runs.map(({ agent, input: { text, reason, origin }, trigger }) => ({ agent, text, reason, origin, trigger })),
  ).toEqual(
    ['a', '7'].map((text, index) => ({
      agent: 'w',
      text,
      reason: 'Chained execution from agent__ann',
      origin: 'please',
      trigger: { kind: 'each', chainTrigger: 'next', chainParent: 'agent__ann', index, count: 2 },
    })),
  );
});

test('an item that did not answer is a part of the result', () => {
  const run = each(begin(['a', 'b']), answered('A'), failed);
  const items = [
    { item: 'a', outcome: 'answered', answer: 'A' },
    { item: 'b', outcome: 'failed', error: 'down' },
  ];
  expect(run.value).toMatchObject({
    by: 'ann',
    outcome: answered(JSON.stringify({ items }), { data: { items }, items: { count: 2, answered: 1 } }),
  });
});

test('the join is the next stage of the chain, on the results as sections', () => {
  const run = each(begin(['a\n## ITEM 1 OF 1'], { join: 'j' }), answered('A\n### 1 of 1: x'));
  expect(run.effect('run')).toMatchObject({
    agent: 'j',
    input: { text: '## ORIGINAL USER REQUEST\n\nplease\n\n### 1 of 1: a ## ITEM 1 OF 1\n\nA\n\\### 1 of 1: x' },
    trigger: { kind: 'next', chainParent: 'agent__ann', chainStageIndex: 0 },
  });
  run.answer(answered('J', { agent: 'j' }));
  expect(run.value).toEqual({ by: 'j', outcome: answered('J', { agent: 'j', items: { count: 1, answered: 1 } }) });
});

test('a budget of the agent, or of one above it, ends the map; one of the worker is the failure of its item', () => {
  expect(begin(['a']).isEnough(budget('ann'))).toBe(true);
  expect(begin(['a', 'b']).isEnough(budget('w'), undefined)).toBe(false);
  expect(each(begin(['a', 'b']), answered('A'), budget('ann')).value.outcome).toMatchObject({
    kind: 'over-budget',
    partial: expect.stringContaining('"answer":"A"'),
  });
  expect(each(begin(['a', 'b']), answered('A'), budget('w')).value.outcome.kind).toBe('answered');
});

test('one failure more than may fail is enough; one that was cancelled is none', () => {
  const run = begin(['a', 'b', 'c'], { failures: 1 });
  expect(run.isEnough(failed, undefined, answered('C'))).toBe(false);
  expect(run.isEnough(failed, failed, undefined)).toBe(true);
  expect(run.isEnough(failed, brokenOutcome(fault('cancelled', 'x')), undefined)).toBe(false);
});

test('an item that was cancelled without a stop ends the map as cancelled, and the look for a stop is no last op', () => {
  const run = each(begin(['a', 'b'], { join: 'j' }), answered('A'), brokenOutcome(fault('cancelled', 'enough')));
  expect(run.effect('take')).toMatchObject({ inbox: { only: 'stop' } });
  expect(run.answer({ messages: [] }).effect('clock')).toEqual({ kind: 'clock' });
  expect(run.answer(1).value.outcome).toMatchObject({ kind: 'cancelled', fault: { message: 'enough' } });
});

test('an answer without the list is refused as the answer of the agent before', () => {
  for (const parts of ['a', undefined, { length: 1 }])
    expect(begin(parts).value).toMatchObject({
      by: 'ann',
      outcome: { fault: { code: 'invalid_chain_payload', stage: 'ann' } },
    });
});
