// The state of one team while it works: who is in it, and who can still be reached. Strategies decide who speaks when;
// what happens when a participant speaks is decided here, once for all of them.
// TEAM-1. A member's broadcast, exit or failure is on the channel before anyone acts on it.
// TEAM-2. Everything here follows from recorded answers: who is active never depends on who was faster.

import {
  type AgentName,
  type Broadcast,
  perform,
  type Routine,
  type SessionRef,
  type TeamMessage,
} from '../../kernel/effect.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import { quoteText } from '../quote-text.ts';
import { section } from '../sections.ts';
import type { Member, MemberExit, TeamOrchestrator } from '../team-strategy.ts';

export function orchestrate(channel: SessionRef, members: readonly AgentName[]): TeamOrchestrator {
  const all: Member[] = members.map((id) => ({ id, out: false, turns: 0 }));
  const find = (id: AgentName): Member | undefined => all.find((member) => member.id === id);

  function* post(saying: TeamMessage): Routine<Broadcast> {
    const sender = find(saying.memberId);
    if (sender !== undefined) sender.turns = Math.max(sender.turns, saying.turnCount);
    const settled = yield* perform<'post'>({ kind: 'post', channel, saying });
    return settled.ok ? settled.value : { ...saying, number: 0, timestamp: 0 };
  }
  function* onMemberExit(memberId: AgentName, how: MemberExit): Routine<void> {
    const member = find(memberId);
    if (member === undefined || member.out) return;
    member.out = true;
    delete member.session;
    yield* post({ ...exitNotice(memberId, how), memberId, turnCount: member.turns });
  }
  return {
    channel,
    active: () => all.filter((member) => !member.out),
    onMemberBroadcast: post,
    onMemberExit,
    injectMessages: (broadcasts) => broadcasts.map(broadcastText),
    *cancelRemaining() {
      for (const member of all) {
        if (member.session !== undefined) yield* perform<'close'>({ kind: 'close', session: member.session });
        delete member.session;
        member.out = true;
      }
    },
  };
}

function exitNotice(memberId: AgentName, how: MemberExit): Pick<TeamMessage, 'type' | 'message'> {
  if (how.kind === 'left') {
    return { type: 'update', message: `member ${memberId} has left the team and is no longer reachable.` };
  }
  return { type: 'failure', message: `member ${memberId} failed and is no longer in the team. Reason: ${how.reason}` };
}

const broadcastText = ({ number, memberId, type, turnCount, message }: Broadcast): string =>
  section(`### Broadcast ${number} from ${memberId} (${type}, turn ${turnCount})`, quoteText(message));

/** Handles the end of a member's part in a cycle: it waits, it left, or it failed and that is announced. */
export function* settleMember(team: TeamOrchestrator, memberId: AgentName, outcome: Outcome): Routine<void> {
  const member = team.active().find(({ id }) => id === memberId);
  if (member === undefined) return;
  if (outcome.kind === 'left') return yield* team.onMemberExit(memberId, { kind: 'left' });
  if (isBroken(outcome)) return yield* team.onMemberExit(memberId, { kind: 'failed', reason: outcome.fault.message });
  if (outcome.session !== undefined) member.session = outcome.session;
  if ((outcome.turnsLeft ?? 1) < 1) {
    yield* team.onMemberExit(memberId, { kind: 'failed', reason: 'its turns are spent.' });
  }
}
