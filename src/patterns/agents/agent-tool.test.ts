// Agents as tools, with their questions answered by hand.

import { expect, test } from 'vitest';
import { answered, ByHand, cardOf } from '../../../test/support/by-hand.ts';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome } from '../../kernel/outcome.ts';
import { openConversation } from '../../kernel/session/conversation.ts';
import { Children } from '../children.ts';
import type { AgentCard } from '../pattern.ts';
import { agentTool } from './agent-tool.ts';

function call(card: AgentCard, given: unknown, children = new Children(() => 'boss')) {
  const tool = agentTool(card, children);
  return new ByHand(tool.run({ id: 'c', name: tool.spec.name, arguments: given }, openConversation()));
}

test('a call is a run of the agent, and the outcome word stands before its answer', () => {
  const run = call(cardOf('ann'), { input: 'look', reason: 'I must know' });
  expect(run.asked).toEqual({
    kind: 'run',
    agent: 'ann',
    input: { text: 'look', reason: 'I must know' },
    trigger: { kind: 'call' },
  });
  run.answer(answered('dry\noutcome: answered'));
  expect(run.value).toEqual({ status: 'ok', text: 'outcome: answered\n\ndry\n\\outcome: answered' });
});

test('a child that did not answer is a failed call, with what it had written', () => {
  const run = call(cardOf('ann'), { input: 'look', reason: 'why' });
  run.answer(brokenOutcome(fault('timeout', 'late'), 'half'));
  expect(run.value).toEqual({ status: 'error', text: 'outcome: timed-out\n\nlate\n\nPartial output:\n\nhalf' });
  const unbegun = call(cardOf('ann'), { input: 'look', reason: 'why' }).fail(fault('cancelled', 'enough'));
  expect(unbegun.value).toMatchObject({ status: 'error', text: 'outcome: cancelled\n\nenough' });
});

test('an agent with chat is kept open, and the result says how it is asked again', () => {
  const children = new Children(() => 'boss');
  const run = call(cardOf('ann', { chat: true }), { input: 'look', reason: 'why' }, children);
  expect(run.asked).toMatchObject({ keep: true });
  run.answer(answered('dry', { session: '0.3', turnsLeft: 2 }));
  expect(run.value).toMatchObject({ text: expect.stringContaining('**Clarification**: id `ann@0.3`, 2 turns left.') });
  expect(children.ids()).toEqual(['ann@0.3']);
});

test('an agent that takes an object is called with its fields, and the reason stays outside unless it is one of them', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const card = cardOf('ann', { input: { format: 'json', schema } });
  expect(agentTool(card).spec.parameters).toMatchObject({ required: ['city', 'reason'] });
  expect(call(card, { city: 'Oslo', reason: 'why' }).asked).toMatchObject({
    input: { text: '{"city":"Oslo"}', data: { city: 'Oslo' }, reason: 'why' },
  });
  const withReason = { ...schema, properties: { ...schema.properties, reason: { type: 'string' } } };
  expect(
    call(cardOf('bob', { input: { format: 'json', schema: withReason } }), { city: 'Oslo', reason: 'why' }).asked,
  ).toMatchObject({ input: { data: { city: 'Oslo', reason: 'why' } } });
});

test('a long answer is shown by its ends, with the handle for the rest', () => {
  const run = call(cardOf('ann'), { input: 'look', reason: 'why' });
  run.answer(answered(`${'a'.repeat(20_000)}${'z'.repeat(20_000)}`, { handle: '0.3' }));
  expect(run.value).toMatchObject({
    handle: '0.3',
    text: expect.stringContaining('24000 of 40000 characters left out'),
  });
});
