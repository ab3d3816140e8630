// How the patterns of one agent wrap its session: advisors, then the session, then the router's destination,
// then the chain. A team stands in the session's place. Each is there only if the agent's file asks for it.

import type { SessionRoutine } from '../kernel/session/session-spec.ts';
import { fromInside } from './layers.ts';
import type { PatternContext } from './pattern.ts';
import type { PatternFields, PatternUse } from './record.ts';

/** The patterns of an agent that wrap its session, from the inside out. The same for all its runs. */
export const wrappersOf = ({ patterns }: PatternFields): readonly PatternUse[] =>
  fromInside(patterns.filter(({ pattern }) => pattern.wrap !== undefined));

export function compose(
  wrappers: readonly PatternUse[],
  context: PatternContext,
  session: SessionRoutine,
): SessionRoutine {
  let routine = session;
  for (const { pattern, config } of wrappers) routine = pattern.wrap?.(config, context)(routine) ?? routine;
  return routine;
}
