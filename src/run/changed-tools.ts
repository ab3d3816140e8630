// Tools that change during a session: an MCP server may add, change and remove some at any time. Before each turn a
// session gets the tools that it is offered from now on, if they have changed.
// CHANGE-1. What a session is offered follows from the record: the facts of its agent, then each take that brought
//           other tools.
// CHANGE-2. A resumed run opens the servers of a session once, before its first new turn: they may no longer offer what
//           they offered when the run was broken off.
// CHANGE-3. A server that cannot say what it offers now leaves the session with what it has. It is asked again before
//           the next turn, and a call of one of its tools says what is wrong with it.

import type { AgentDefinition, CadreDefinition } from '../agents/definition.ts';
import type { Journal } from '../journal/journal.ts';
import type { AgentName, InboxRef, Mail, OfferedTools, SessionRef } from '../kernel/effect.ts';
import { FaultError } from '../kernel/fault.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { anyStop, orAborted } from '../world/abort.ts';
import type { LiveParts } from '../world/live.ts';
import type { Fold } from '../world/state/projection.ts';
import { offeredTo } from './agent-facts.ts';
import { factsKey, NO_FACTS } from './program.ts';
import { usesServers } from './resources/tool-sources.ts';
import type { AgentTools, CadreAssembly } from './resources.ts';

/** What each session was offered last, if that is not what its agent began with (CHANGE-1). */
export interface Offers extends Fold {
  latest(session: SessionRef): OfferedTools | undefined;
}

function openOffers(): Offers {
  const offers = new Map<SessionRef, OfferedTools>();
  return {
    latest: (session) => offers.get(session),
    add(event) {
      if (event.type !== 'op' || event.kind !== 'take') return;
      const { tools } = event.value as Mail;
      if (tools !== undefined) offers.set((event.detail as { readonly inbox: InboxRef }).inbox.session, tools);
    },
  };
}

interface ChangingParts {
  readonly assembly: CadreAssembly;
  readonly journal: Pick<Journal, 'fact'>;
  readonly offers: Offers;
  /** Aborted when a final answer is asked for: the last turn needs no tools. */
  readonly graceful: StopSignal;
}

const withServers = new WeakMap<CadreDefinition, boolean>();

/** Only tools of servers change. The answer is found once for a cadre: every run asks. */
function hasServers(cadre: CadreDefinition): boolean {
  const known = withServers.get(cadre);
  if (known !== undefined) return known;
  const found = [...cadre.agents.values()].some(usesServers);
  withServers.set(cadre, found);
  return found;
}

export const offersOf = (cadre: CadreDefinition): Offers | undefined => (hasServers(cadre) ? openOffers() : undefined);

export function changedTools({
  assembly,
  journal,
  offers,
  graceful,
}: ChangingParts): NonNullable<LiveParts['changedTools']> {
  const { agents } = assembly.cadre;
  const changing = new Set([...agents.values()].filter(usesServers).map(({ name }) => name));
  /** The tools that a session was last compared with. */
  const seen = new Map<SessionRef, AgentTools>();
  const opened = new Set<AgentName>();
  const openOnce = (agent: AgentDefinition, stop: StopSignal): AgentTools | Promise<AgentTools> | undefined => {
    if (opened.has(agent.name)) return undefined;
    opened.add(agent.name);
    return assembly.toolsOf(agent, stop); // CHANGE-2
  };

  return (session, { scope, signal }) => {
    const agent = changing.has(scope.agent) ? agents.get(scope.agent) : undefined;
    if (agent === undefined || assembly.latestTools === undefined || graceful.aborted) return undefined;
    const compare = (latest: AgentTools): OfferedTools | undefined => {
      if (seen.get(session) === latest) return undefined;
      seen.set(session, latest);
      const before = offers.latest(session) ?? (journal.fact(factsKey(agent.name)) as OfferedTools | undefined);
      const now = offeredTo(agent, latest, assembly);
      return isSame(before ?? NO_FACTS, now) ? undefined : now;
    };
    const stop = anyStop(signal, graceful);
    const latest = assembly.latestTools(agent, stop) ?? openOnce(agent, stop);
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
