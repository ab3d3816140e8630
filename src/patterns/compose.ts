// How the patterns of one agent wrap its session: advisors, then the session, then the router's destination,
// then the chain. A team stands in the session's place. Each is there only if the agent's file asks for it.

import type { SessionRoutine } from '../kernel/session/session-spec.ts';
import { usesOf } from './catalog.ts';
import type { PatternContext } from './pattern.ts';
import type { Declared, Moment, Use } from './record.ts';

/** From the session outwards. */
const LAYERS: readonly Moment[] = ['within', 'instead', 'after', 'before', 'last'];

/** The patterns of an agent that wrap its session, from the inside out. The same for all its runs. */
export function wrappersOf(declared: Declared): readonly Use[] {
  const uses = usesOf(declared).filter(({ pattern }) => pattern.wrap !== undefined);
  return LAYERS.flatMap((layer) => uses.filter(({ pattern }) => pattern.at === layer));
}

export function compose(wrappers: readonly Use[], context: PatternContext, session: SessionRoutine): SessionRoutine {
  let routine = session;
  for (const { pattern, config } of wrappers) routine = pattern.wrap?.(config, context)(routine) ?? routine;
  return routine;
}
