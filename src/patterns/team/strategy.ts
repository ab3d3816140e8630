// How a team works together. A strategy says who speaks when, with what the team gives it; sessions, the channel and
// the exits are none of its business.

import type { Routine } from '../../kernel/effect.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import type { Member, TeamOrchestrator } from './orchestrator.ts';

export interface TeamAtWork {
  readonly team: TeamOrchestrator;
  /** Lets a member work until it waits, leaves or fails: its first time on the request, later on what it missed. */
  wake(member: Member): Routine<Outcome>;
  /** Lets the supervisor work until it broadcasts (its outcome then names the broadcast) or ends. */
  supervise(): Routine<Outcome>;
}

export type TeamStrategy = (atWork: TeamAtWork) => Routine<Outcome>;
