// Clarification, with its questions answered by hand.

import { expect, test } from 'vitest';
import { answered, ByHand } from '../../../test/support/by-hand.ts';
import { fault } from '../../kernel/fault.ts';
import type { ToolResult } from '../../kernel/message.ts';
import { brokenOutcome } from '../../kernel/outcome.ts';
import { openConversation } from '../../kernel/session/conversation.ts';
import type { SessionTool } from '../../kernel/session/session-tool.ts';
import { Children } from '../children.ts';
import { askClarification, dismiss } from './clarification.ts';

function open(turnsLeft = 2) {
  const children = new Children(() => 'boss/lead');
  children.admit('ann', answered('dry', { session: '0.10', turnsLeft }), true);
  children.admit('bob', answered('wet', { session: '0.9', turnsLeft }), true);
  children.admit('cid', answered('done'), false);
  const run = (tool: SessionTool, given: unknown) =>
    new ByHand(tool.run({ id: 'c', name: tool.spec.name, arguments: given }, openConversation()));
  return {
    children,
    ask: (given: unknown) => run(askClarification(children), given),
    dismiss: (given: unknown) => run(dismiss(children), given),
  };
}

const payload = (run: ByHand<unknown>): unknown => JSON.parse((run.value as ToolResult).text.split('\n')[0] ?? '');

test('the question goes to the session that was kept open, and the answer comes with the turns that are left', () => {
  const { ask, children } = open();
  const run = ask({ id: 'ann@0.10', question: 'how dry?' });
  expect(run.asked).toEqual({
    kind: 'say',
    session: '0.10',
    text: '## CLARIFICATION REQUEST FROM boss/lead\n\nhow dry?',
  });
  run.answer(answered('very', { turnsLeft: 1 }));
  expect(payload(run)).toEqual({
    status: 'answered',
    content: 'very',
    clarificationId: 'ann@0.10',
    turnsRemaining: 1,
  });
  expect(children.find('ann@0.10')?.turnsLeft).toBe(1);
});

test('an agent without turns left is not asked, whether that was known before or its session says so', () => {
  const known = open(0).ask({ id: 'ann@0.10', question: 'how dry?' });
  expect(payload(known)).toMatchObject({ status: 'clarification_no_turns', turnsRemaining: 0 });
  const said = open().ask({ id: 'ann@0.10', question: 'how dry?' });
  said.answer(brokenOutcome(fault('clarification_no_turns', 'ann has spent all its turns.')));
  expect(payload(said)).toMatchObject({ status: 'clarification_no_turns' });
});

test('an agent that is not open and an unknown id get different refusals', () => {
  const { ask } = open();
  expect(payload(ask({ id: 'cid@0.1', question: 'x' }))).toMatchObject({ status: 'chat_disabled' });
  expect(payload(ask({ id: 'eve@0.1', question: 'x' }))).toMatchObject({
    status: 'clarification_unknown',
    content: 'Known ids: bob@0.9, ann@0.10.',
  });
  expect(payload(ask({ id: 'ann@0.10', question: ' ' }))).toMatchObject({ status: 'clarification_unknown' });
});

test('a child that is dismissed is closed, and can be asked no more', () => {
  const { ask, dismiss: end, children } = open();
  const run = end({ id: 'ann@0.10' });
  expect(run.asked).toEqual({ kind: 'close', session: '0.10' });
  run.answer(null);
  expect(run.value).toEqual({ status: 'ok', text: 'ann@0.10 has ended.' });
  expect(children.ids()).toEqual(['bob@0.9']);
  expect(payload(ask({ id: 'ann@0.10', question: 'x' }))).toMatchObject({ status: 'clarification_unknown' });
});

test('the tools are the same whoever can be asked', () => {
  const { children } = open();
  const tools = [askClarification(children), dismiss(children)];
  expect(tools.map(({ currentSpec }) => currentSpec)).toEqual([undefined, undefined]);
  expect(JSON.stringify(tools.map(({ spec }) => spec))).not.toContain('enum');
});

test('by the rules before revision 3 the tools are offered only while an agent can be asked', () => {
  const { children } = open();
  const tool = askClarification(children, false);
  expect(tool.currentSpec?.()?.parameters).toMatchObject({ properties: { id: { enum: ['bob@0.9', 'ann@0.10'] } } });
  for (const id of children.ids()) children.remove(id);
  expect(tool.currentSpec?.()).toBeUndefined();
});
