// `advisors`, with their questions answered by hand.

import { expect, test } from 'vitest';
import { answered, ByHand, cardOf, contextOf, inputFor, sessionOf } from '../../../test/support/by-hand.ts';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome, type Outcome } from '../../kernel/outcome.ts';
import type { AdvisorsPolicy } from './advisors.ts';
import { advisors } from './advisors.ts';

const context = contextOf('ann', [cardOf('bob', { chat: true })]);
const failed = brokenOutcome(fault('model/server', '503'), 'half');

function begin(policy: AdvisorsPolicy, timeoutMs?: number) {
  const session = sessionOf(answered('done'));
  const config = { agents: ['bob', 'cid'], policy, ...(timeoutMs !== undefined && { timeoutMs }) };
  const run = new ByHand(advisors(config, context)(session)(inputFor('please')));
  return { session, run: run.answer(1000) }; // the clock
}

/** A branch whose advisor ended like this, at five seconds. */
function ended(branch: ByHand<unknown> | undefined, outcome: Outcome): unknown {
  branch?.answer(outcome);
  if (outcome.kind !== 'answered') branch?.answer(6000);
  return branch?.value;
}

const askBob =
  '**Clarification**: id `bob@0.1`, 3 turns left. To ask: `agent__ask_clarification({"id": "bob@0.1", "question": "…"})`.';

test('all are asked the same request at the same time, and the session begins with what they found', () => {
  const { session, run } = begin({ kind: 'isolate' }, 500);
  const [bob, cid] = run.branches();
  const input = { text: 'please', origin: 'please' };
  const asked = { kind: 'run', input, trigger: { kind: 'advisor' }, limits: { ms: 500 } };
  expect(bob?.asked).toEqual({ ...asked, agent: 'bob', keep: true });
  expect(cid?.asked).toEqual({ ...asked, agent: 'cid' });
  run.join([ended(bob, answered('dry', { session: '0.1', turnsLeft: 3 })), ended(cid, failed)]);
  expect(run.value).toEqual(answered('done'));
  expect(session.heard[0]?.request.text).toBe(
    [
      '## ORIGINAL USER REQUEST\n\nplease',
      '## ANALYSIS GATHERED',
      '### From bob\n\ndry',
      `---\n${askBob}`,
      '### From cid\n\ncid did not answer. Outcome after 5.0 s: failed: 503',
      'Partial output:\n\nhalf',
    ].join('\n\n'),
  );
  expect(context.children.ids()).toEqual(['bob@0.1']);
});

test('without a policy a failed advisor does not stop the others', () => {
  const { run } = begin({ kind: 'isolate' });
  expect(() => run.isEnough(undefined, undefined)).toThrow('waits for all');
});

test('a quorum is enough when so many have answered, and one that failed does not count', () => {
  const { session, run } = begin({ kind: 'quorum', count: 1 });
  const [bob, cid] = run.branches();
  const report = ended(bob, failed);
  expect(run.isEnough(report, undefined)).toBe(false);
  const other = ended(cid, answered('dry'));
  expect(run.isEnough(undefined, other)).toBe(true);
  run.join([undefined, other]);
  expect(session.heard[0]?.analysis).toContain('bob was cancelled: enough other advisors had answered.');
});

test('the first advisor that fails is enough if all are needed, and the session does not begin', () => {
  const { session, run } = begin({ kind: 'all' });
  const [bob] = run.branches();
  const report = ended(bob, failed);
  expect(run.isEnough(report, undefined)).toBe(true);
  run.join([report, undefined]);
  expect(run.value).toMatchObject({ kind: 'failed', fault: { code: 'advisors/failed', stage: 'bob' } });
  expect(session.heard).toEqual([]);
});
