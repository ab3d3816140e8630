// How the patterns of one agent wrap its session: advisors, then the session, then the router's destination,
// then the chain. A team stands in the session's place. Each is there only if the agent's file asks for it.

import type { SessionRoutine } from '../kernel/session.ts';
import { usesOf } from './catalog.ts';
import type { PatternContext } from './pattern.ts';
import type { Declared, Moment } from './record.ts';

/** From the session outwards. */
const LAYERS: readonly Moment[] = ['within', 'instead', 'after', 'before', 'last'];

export function compose(declared: Declared, context: PatternContext, session: SessionRoutine): SessionRoutine {
  const uses = usesOf(declared).filter(({ pattern }) => pattern.wrap !== undefined);
  if (uses.length === 0) return session;
  return LAYERS.flatMap((layer) => uses.filter(({ pattern }) => pattern.at === layer)).reduce(
    (inner, { pattern, config }) => pattern.wrap?.(config, context)(inner) ?? inner,
    session,
  );
}
