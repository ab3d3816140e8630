// How the patterns of one agent lie around its session: advisors, then the session, then the router's destination,
// then the chain. A team stands in the session's place. Each is there only if the agent's file asks for it.

import type { SessionRoutine } from '../kernel/session.ts';
import { advisors } from './advisors.ts';
import { chain } from './chain.ts';
import type { AdvisorsConfig, ChainConfig, RouterConfig, TeamConfig } from './config.ts';
import type { PatternContext } from './pattern.ts';
import { router } from './router.ts';
import { team } from './team/team.ts';

export interface Patterns {
  readonly chain?: ChainConfig;
  readonly router?: RouterConfig;
  readonly advisors?: AdvisorsConfig;
  readonly team?: TeamConfig;
}

export function onion(patterns: Patterns, context: PatternContext, session: SessionRoutine): SessionRoutine {
  let routine = session;
  if (patterns.team !== undefined) routine = team(patterns.team, context)(routine);
  if (patterns.router !== undefined) routine = router(patterns.router, context)(routine);
  if (patterns.advisors !== undefined) routine = advisors(patterns.advisors, context)(routine);
  if (patterns.chain !== undefined) routine = chain(patterns.chain, context)(routine);
  return routine;
}
