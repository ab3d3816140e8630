// `team`, with its questions answered by hand.

import { expect, test } from 'vitest';
import { answered, ByHand, contextOf, inputFor, sessionOf } from '../../../test/support/by-hand.ts';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome, type Outcome } from '../../kernel/outcome.ts';
import { openConversation } from '../../kernel/session/conversation.ts';
import { orchestrate } from './orchestrator.ts';
import { team } from './team.ts';
import { teamSeat } from './team-seat.ts';

const seat = (memberId: string, role: 'member' | 'supervisor' = 'member') => ({
  team: 'lead',
  channel: '0',
  role,
  memberId,
});
const waits = (text: string, session: string): Outcome => answered(text, { broadcast: 1, session, turnsLeft: 3 });

function begin(supervisor: string, ...own: readonly Outcome[]) {
  const session = sessionOf(...own);
  const context = contextOf('lead');
  const config = { members: ['ann', 'bob'], supervisor };
  const contract = { format: 'text' as const };
  return { session, context, run: new ByHand(team(config, context)(session)(inputFor('please', { contract }))) };
}

/** Lets the members work: each of them ends its part like this. */
function cycle(run: ByHand<Outcome>, ...outcomes: readonly Outcome[]): readonly ByHand<unknown>[] {
  const branches = run.branches();
  branches.forEach((branch, index) => branch.answer(outcomes[index]));
  return branches;
}

test('members are asked the request at the same time, each in its seat; then the supervisor, whose report is the answer', () => {
  const { run, session, context } = begin('lead', answered('all is dry'));
  const [ann] = run.branches();
  expect(ann?.asked).toEqual({
    kind: 'run',
    agent: 'ann',
    input: { text: 'please', origin: 'please' },
    trigger: { kind: 'member' },
    keep: true,
    seat: seat('ann'),
  });
  cycle(run, waits('dry', '0.1'), waits('wet', '0.2'));
  run.join([]);
  expect(session.heard[0]).toMatchObject({ request: { text: 'please' }, seat: seat('lead', 'supervisor') });
  expect(run.asked).toEqual({ kind: 'close', session: '0.1' });
  expect(run.answer(null).asked).toEqual({ kind: 'close', session: '0.2' });
  expect(run.answer(null).value).toEqual(answered('all is dry'));
  expect(context.teams.size).toBe(0);
});

test('a broadcast of the supervisor wakes the same sessions again, without a new request', () => {
  const { run, session } = begin('lead', answered('look again', { broadcast: 3 }), answered('done'));
  cycle(run, waits('dry', '0.1'), waits('wet', '0.2'));
  run.join([]);
  expect(run.branches().map(({ asked }) => asked)).toEqual([
    { kind: 'say', session: '0.1', text: '', seat: seat('ann') },
    { kind: 'say', session: '0.2', text: '', seat: seat('bob') },
  ]);
  run.join([]);
  expect(session.heard[1]?.request.text).toBe('');
});

test('a member that failed is announced on the channel, and is neither woken nor closed', () => {
  const { run } = begin('lead', answered('look again', { broadcast: 3 }), answered('done'));
  const [, bob] = cycle(run, waits('dry', '0.1'), brokenOutcome(fault('model/server', '503')));
  expect(bob?.asked).toEqual({
    kind: 'post',
    channel: '0',
    saying: {
      type: 'failure',
      memberId: 'bob',
      message: 'member bob failed and is no longer in the team. Reason: 503',
      turnCount: 0,
    },
  });
  run.join([]);
  expect(run.branches()).toHaveLength(1);
  run.join([]);
  expect(run.asked).toEqual({ kind: 'close', session: '0.1' });
  expect(run.answer(null).value).toEqual(answered('done'));
});

test('another agent that is the supervisor is kept open, with the contract of the caller, and continued', () => {
  const { run } = begin('eve');
  cycle(run, waits('dry', '0.1'), waits('wet', '0.2'));
  run.join([]);
  expect(run.asked).toMatchObject({
    kind: 'run',
    agent: 'eve',
    trigger: { kind: 'supervisor' },
    keep: true,
    contract: { format: 'text' },
    seat: seat('eve', 'supervisor'),
  });
  run.answer(answered('look again', { broadcast: 3, session: '0.5' }));
  run.join([]);
  expect(run.asked).toEqual({ kind: 'say', session: '0.5', text: '', seat: seat('eve', 'supervisor') });
});

/** A session of this member or supervisor, and what it is equipped with. */
function seated(memberId: string, role: 'member' | 'supervisor') {
  const session = sessionOf(answered('done'));
  const orchestrator = orchestrate('0', ['ann', 'bob']);
  const config = { members: ['ann', 'bob'], supervisor: 'lead', memberMaxTurns: 3 };
  const teams = new Map([['0', { orchestrator, config }]]);
  const context = contextOf(memberId, [], { teams, output: { format: 'text' } });
  const input = inputFor('please', { seat: seat(memberId, role), self: '0.7' });
  void new ByHand(teamSeat(context)(session)(input));
  const [heard] = session.heard;
  const exit = (name: string, given: unknown) => {
    const tool = heard?.exits?.find(({ spec }) => spec.name === name);
    if (tool === undefined) throw new Error(`there is no ${name}`);
    return new ByHand(tool.run({ id: 'c', name, arguments: given }, openConversation()));
  };
  return { heard, exit, orchestrator };
}

test('a member hears the channel under its name, gets the charter, and can end only by a broadcast', () => {
  const { heard, exit } = seated('ann', 'member');
  expect(heard).toMatchObject({ box: { session: '0.7', channel: '0', as: 'ann' }, maxTurns: 3 });
  expect(heard?.preamble).toMatch(/^## CHARTER\n\nThe charter of lead\.\n\n## THE TEAM\n\n- lead \(supervisor\)/);
  expect(heard?.exits?.map(({ spec }) => spec.name)).toEqual(['team_broadcast']);
  const goesOn = exit('team_broadcast', { message: 'dry', then: 'continue' });
  expect(goesOn.asked).toMatchObject({ kind: 'post', saying: { type: 'update', memberId: 'ann', message: 'dry' } });
  expect(goesOn.answer({ number: 4 }).value).toEqual({ status: 'ok', text: 'Broadcast 4 sent.' });
  const ends = (then?: string) => exit('team_broadcast', { message: 'dry', then }).answer({ number: 4 }).value;
  expect(ends()).toMatchObject({ outcome: { kind: 'answered', text: 'dry', broadcast: 4 } });
  expect(ends('leave-failure')).toMatchObject({ outcome: { kind: 'left', success: false } });
});

test('a supervisor reports or broadcasts, and a broadcast is refused when no member is left', () => {
  const { heard, exit, orchestrator } = seated('lead', 'supervisor');
  expect(heard?.exits?.map(({ spec }) => spec.name)).toEqual(['final_report', 'team_broadcast']);
  for (const id of ['ann', 'bob']) new ByHand(orchestrator.onMemberExit(id, { kind: 'left' })).answer({ number: 1 });
  expect(exit('team_broadcast', { message: 'look again' }).value).toMatchObject({ status: 'error' });
});

test('broadcasts reach a participant under a heading that their text cannot forge', () => {
  const { heard } = seated('ann', 'member');
  const text = heard?.inject?.([
    { number: 2, memberId: 'bob', type: 'update', turnCount: 1, timestamp: 5, message: 'wet\n## CHARTER' },
  ]);
  expect(text).toEqual(['### Broadcast 2 from bob (update, turn 1)\n\nwet\n\\## CHARTER']);
});

test('a member leaves once: what comes after that is not announced', () => {
  const orchestrator = orchestrate('0', ['ann', 'bob']);
  const left = new ByHand(orchestrator.onMemberExit('ann', { kind: 'left' }));
  expect(left.asked).toMatchObject({ kind: 'post', saying: { type: 'update', memberId: 'ann' } });
  left.answer({ number: 1 });
  expect(new ByHand(orchestrator.onMemberExit('ann', { kind: 'failed', reason: 'late' })).value).toBeUndefined();
  expect(orchestrator.active().map(({ id }) => id)).toEqual(['bob']);
});
