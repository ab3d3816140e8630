// The contract of a team's way to work together. A strategy decides who speaks when, with the means that the team gives
// it. It does not handle sessions, the channel or the exits.

import type { AgentName, Broadcast, Routine, SessionRef, TeamMessage } from '../kernel/effect.ts';
import type { Outcome } from '../kernel/outcome.ts';

export interface TeamAtWork {
  readonly team: TeamOrchestrator;
  /** Lets a member work until it waits, leaves or fails: first on the request, later on what it missed. */
  wake(member: Member): Routine<Outcome>;
  /** Lets the supervisor work until it broadcasts (its outcome then names the broadcast) or ends. */
  supervise(): Routine<Outcome>;
}

export type TeamStrategy = (atWork: TeamAtWork) => Routine<Outcome>;

export type MemberExit =
  | { readonly kind: 'left' }
  /** Its model or tools failed, or its turns are spent. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface Member {
  readonly id: AgentName;
  /** Undefined until its session is open, and again after it has left. */
  session?: SessionRef;
  out: boolean;
  /** The turns that it had spent when it last spoke. */
  turns: number;
}

export interface TeamOrchestrator {
  readonly channel: SessionRef;
  /** The members that are still in the team, in the order declared. */
  active(): readonly Member[];
  onMemberBroadcast(saying: TeamMessage): Routine<Broadcast>;
  onMemberExit(memberId: AgentName, how: MemberExit): Routine<void>;
  /** The wording of broadcasts for a participant before its next turn. */
  injectMessages(broadcasts: readonly Broadcast[]): readonly string[];
  /** Ends the sessions of all members that are still in the team. */
  cancelRemaining(reason: string): Routine<void>;
}

export interface TeamConfig {
  readonly members: readonly AgentName[];
  /** The declaring agent's own name if the file says `self`. */
  readonly supervisor: AgentName;
  readonly memberMaxTurns?: number;
  readonly supervisorMaxTurns?: number;
}
