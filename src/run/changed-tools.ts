// Tools that change during a session: an MCP server may add, change and remove some at any time. Before each turn a
// session gets the tools that it is offered from now on, if they have changed.
// CHANGE-2. A resumed run opens the servers of a session once, before its first new turn: they may no longer offer what
//           they offered when the run was broken off.
// CHANGE-3. A server that cannot say what it offers now leaves the session with what it has. It is asked again before
//           the next turn, and a call of one of its tools says what is wrong with it.

import type { AgentDefinition } from '../definition/definition.ts';
import type { AgentName, OfferedTools, SessionRef } from '../kernel/effect.ts';
import { FaultError } from '../kernel/fault.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { anyStop, orAborted } from '../world/abort.ts';
import type { LiveParts } from '../world/stack/live.ts';
import { factsKey, NO_FACTS, offeredTo } from './agent-facts.ts';
import type { LiveRun } from './driven-run.ts';
import type { AgentTools } from './resources.ts';
import { usesServers } from './uses-servers.ts';

/** Undefined if no tools can change. */
export function changedTools({ cadre, journal, state, graceful }: LiveRun): LiveParts['changedTools'] {
  const { offers } = state;
  if (offers === undefined) return undefined;
  const { resources } = cadre;
  const { agents } = cadre.recordable;
  const changing = new Set([...agents.values()].filter(usesServers).map(({ name }) => name));
  /** The tools that a session was last compared with. */
  const seen = new Map<SessionRef, AgentTools>();
  const opened = new Set<AgentName>();
  const openOnce = (agent: AgentDefinition, stop: StopSignal): AgentTools | Promise<AgentTools> | undefined => {
    if (opened.has(agent.name)) return undefined;
    opened.add(agent.name);
    return resources.toolsOf(agent, stop); // CHANGE-2
  };

  return (session, { scope, signal }) => {
    const agent = changing.has(scope.agent) ? agents.get(scope.agent) : undefined;
    if (agent === undefined || resources.latestTools === undefined || graceful.aborted) return undefined;
    const compare = (latest: AgentTools): OfferedTools | undefined => {
      if (seen.get(session) === latest) return undefined;
      seen.set(session, latest);
      const before = offers.latest(session) ?? (journal.fact(factsKey(agent.name)) as OfferedTools | undefined);
      const now = offeredTo(agent, latest, cadre);
      return isSame(before ?? NO_FACTS, now) ? undefined : now;
    };
    const stop = anyStop(signal, graceful);
    const latest = resources.latestTools(agent, stop) ?? openOnce(agent, stop);
    if (!(latest instanceof Promise)) return latest === undefined ? undefined : compare(latest);
    return orAborted(latest, stop).then(compare, unchanged);
  };
}

/** CHANGE-3. */
function unchanged(thrown: unknown): undefined {
  if (!(thrown instanceof FaultError)) throw thrown;
}

const isSame = (before: OfferedTools, now: OfferedTools): boolean =>
  JSON.stringify([before.tools, before.approve, before.previews]) ===
    JSON.stringify([now.tools, now.approve, now.previews]) &&
  (before.sources === undefined || JSON.stringify(before.sources) === JSON.stringify(now.sources));
