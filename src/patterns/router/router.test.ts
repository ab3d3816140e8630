// `router`, with its questions answered by hand.

import { expect, test } from 'vitest';
import { answered, ByHand, cardOf, contextOf, inputFor, sessionOf } from '../../../test/support/by-hand.ts';
import { fault } from '../../kernel/fault.ts';
import type { Outcome, RoutedOutcome } from '../../kernel/outcome.ts';
import { openConversation } from '../../kernel/session/conversation.ts';
import type { SessionInput } from '../../kernel/session/session-spec.ts';
import { handoffTo } from './handoff-to.ts';
import { router } from './router.ts';

const taker = cardOf('sales', { input: { format: 'json', schema: { type: 'object', required: ['city'] } } });
const context = contextOf('desk', [taker]);
const config = { destinations: ['billing', 'sales'] };
const routed = (more: Partial<RoutedOutcome> = {}): RoutedOutcome => ({
  kind: 'routed',
  agent: 'desk',
  to: 'billing',
  ...more,
});

function begin(own: Outcome, input: SessionInput = inputFor('my bill is wrong')) {
  const session = sessionOf(own);
  return { session, run: new ByHand(router(config, context)(session)(input)) };
}

test('a router that answers itself does not route the request', () => {
  const { session, run } = begin(answered('done'));
  expect(run.value).toEqual(answered('done'));
  expect(session.heard[0]?.tools?.map(({ spec }) => spec.name)).toEqual(['handoff-to']);
});

test('the destination gets the request and the message below it, and its outcome is the outcome', () => {
  const { run } = begin(routed({ message: 'be kind' }));
  expect(run.asked).toEqual({
    kind: 'run',
    agent: 'billing',
    input: {
      text: '## ORIGINAL USER REQUEST\n\nmy bill is wrong\n\n## MESSAGE FROM AGENT `desk` WHO ROUTED THIS REQUEST TO YOU\n\nbe kind',
      base: 'my bill is wrong',
      sections: ['## MESSAGE FROM AGENT `desk` WHO ROUTED THIS REQUEST TO YOU\n\nbe kind'],
      origin: 'my bill is wrong',
    },
    trigger: { kind: 'router' },
  });
  run.fail(fault('cancelled', 'enough'));
  expect(run.value).toMatchObject({ kind: 'cancelled', fault: { message: 'enough' } });
});

test("the analysis of the router's advisors stands below its message", () => {
  const analysis = '## ANALYSIS GATHERED\n\n…';
  const request = { text: 'x', base: 'my bill', sections: ['## EARLIER', analysis] };
  const { run } = begin(routed({ message: 'be kind' }), inputFor('', { request, analysis }));
  const [earlier, message, last] = run.effect('run').input.sections ?? [];
  expect([earlier, last]).toEqual(['## EARLIER', analysis]);
  expect(message).toMatch(/^## MESSAGE FROM AGENT/);
});

test('contract, history and the wish to ask again go to the destination', () => {
  const contract = { format: 'text' as const };
  const history = [{ role: 'user' as const, text: 'hi' }];
  const input = inputFor('', { request: { text: 'please', history }, contract, keep: true });
  expect(begin(routed(), input).run.asked).toMatchObject({ contract, keep: true, input: { history } });
  expect(begin(routed({ to: 'sales', input: { city: 'Oslo' } }), input).run.asked).toMatchObject({
    agent: 'sales',
    input: { text: '{"city":"Oslo"}', data: { city: 'Oslo' }, history },
    contract,
    keep: true,
  });
});

test('the JSON for a destination that takes JSON is checked before it is routed to, and no other gets any', () => {
  const tool = handoffTo(config, context);
  const call = (given: unknown) =>
    new ByHand(tool.run({ id: 'c', name: 'handoff-to', arguments: given }, openConversation())).value;
  expect(call({ agent: 'sales', input: {} })).toMatchObject({
    status: 'error',
    text: expect.stringContaining('$.input.city'),
  });
  expect(call({ agent: 'sales' })).toMatchObject({ status: 'error', text: expect.stringContaining('takes JSON') });
  expect(call({ agent: 'billing', input: {} })).toMatchObject({ status: 'error' });
  expect(call({ agent: 'sales', input: { city: 'Oslo' }, message: 'why' })).toEqual({
    outcome: { kind: 'routed', agent: 'desk', to: 'sales', message: 'why', input: { city: 'Oslo' } },
  });
});
