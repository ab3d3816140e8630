// How a team works together. A strategy decides who speaks when, with what the team gives it. It does not handle
// sessions, the channel or the exits.

import type { Routine } from '../kernel/effect.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { Member, TeamOrchestrator } from './team/orchestrator.ts';

export interface TeamAtWork {
  readonly team: TeamOrchestrator;
  /** Lets a member work until it waits, leaves or fails: first on the request, later on what it missed. */
  wake(member: Member): Routine<Outcome>;
  /** Lets the supervisor work until it broadcasts (its outcome then names the broadcast) or ends. */
  supervise(): Routine<Outcome>;
}

export type TeamStrategy = (atWork: TeamAtWork) => Routine<Outcome>;
