// The owner of an answer. A reference to an agent gets its terminal agent's answer: the last stage of its chain, the
// destination of a router (or the router itself), the supervisor of a team.

import type { AgentName } from '../kernel/effect.ts';
import type { JsonSchema } from '../kernel/schema.ts';
import { edgesOf, type PatternAgents, type PatternSeat, type PatternUse } from './record.ts';
import type { ComparedSchemas } from './review.ts';

/** The agents that may give the answer when `name` is run. */
export function answerers(name: AgentName, agents: PatternAgents): readonly AgentName[] {
  return [...collect([name], agents, new Set())];
}

/** The agents that may give an answer which they made, and no agent wrote, when `name` is run. */
export function makers(name: AgentName, agents: PatternAgents): readonly ComparedSchemas['given'][] {
  const seen = new Set<AgentName>();
  collect([name], agents, seen);
  return [...seen].flatMap((agent) => {
    const schema = madeSchema(agent, agents);
    return schema === undefined ? [] : [{ agent, schema }];
  });
}

/** The agents that may give the answer that goes into the chain of `name`: its own part, before any hand-over. */
export function ownAnswerers(name: AgentName, agents: PatternAgents): readonly AgentName[] {
  const { own, others } = ownPart(name, agents);
  return [...new Set([...own, ...collect(others, agents, new Set([name]))])];
}

function ownPart(name: AgentName, agents: PatternAgents): { own: AgentName[]; others: readonly AgentName[] } {
  const agent = agents.get(name);
  if (agent === undefined) return { own: [name], others: [] };
  const others = edgesOf(agent).filter(({ means, pattern }) => means.answers && pattern.layer !== 'last');
  // Where other agents answer in place of the session, the session itself does not.
  const isReplaced = others.some(({ pattern }) => pattern.layer === 'instead');
  return { own: isReplaced ? [] : [name], others: others.map(({ to }) => to) };
}

/** Visits each agent once and does not recurse, so that cycles and chains of thousands of agents are safe. */
function collect(names: readonly AgentName[], agents: PatternAgents, seen: Set<AgentName>): ReadonlySet<AgentName> {
  const found = new Set<AgentName>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    if (madeSchema(name, agents) !== undefined) continue; // nobody wrote it
    const last = handedOnTo(name, agents);
    if (last.length > 0) {
      if (standingSchema(name, agents) !== undefined) found.add(name);
      waiting.push(...last);
      continue;
    }
    const { own, others } = ownPart(name, agents);
    for (const one of own) found.add(one);
    waiting.push(...others);
  }
  return found;
}

function madeSchema(name: AgentName, agents: PatternAgents): JsonSchema | undefined {
  const schemas = agents.get(name)?.patterns.map(({ pattern, config }) => pattern.made?.(config)) ?? [];
  return schemas.find((schema) => schema !== undefined);
}

/**
 * The agents that answer in place of an agent after all of its own: the outermost pattern that hands the answer on
 * names them.
 */
function handedOnTo(name: AgentName, agents: PatternAgents): readonly AgentName[] {
  const agent = agents.get(name);
  const last = agent?.patterns.filter(({ pattern }) => pattern.layer === 'last') ?? [];
  for (const { pattern, config } of last.toReversed()) {
    const to =
      pattern.answerers?.(config) ??
      edgesOf({ name, patterns: [{ pattern, config }] }).flatMap((edge) => (edge.means.answers ? [edge.to] : []));
    if (to.length > 0) return to;
  }
  return [];
}

/**
 * The schema of the answers of an agent that nothing hands on, though its chain hands others on. They are under the
 * contract of its file, whoever wrote them.
 */
export function standingSchema(name: AgentName, agents: PatternAgents): JsonSchema | undefined {
  const agent = agents.get(name);
  const schema = agent?.output?.schema;
  if (agent === undefined || schema === undefined) return undefined;
  for (const { pattern, config } of agent.patterns) {
    const standing = pattern.standing?.(config, schema);
    if (standing !== undefined) return standing;
  }
  return undefined;
}

/** The seat that the patterns of an agent declare in a team. Undefined: it takes the seat itself. */
export function declaredSeat(uses: readonly PatternUse[]): PatternSeat | undefined {
  for (const { pattern, config } of uses) {
    const seat = pattern.seat?.(config);
    if (seat?.kind === 'passed') return seat;
  }
  return uses.map(({ pattern, config }) => pattern.seat?.(config)).find((seat) => seat !== undefined);
}

/** The agents from a member of a team to the one that takes part in it, in their order. Undefined in a cycle. */
export function wayToSeat(member: AgentName, agents: PatternAgents): readonly AgentName[] | undefined {
  const way = new Set<AgentName>();
  for (let name = member; !way.has(name); ) {
    way.add(name);
    const seat = declaredSeat(agents.get(name)?.patterns ?? []);
    if (seat?.kind !== 'passed') return [...way];
    name = seat.to;
  }
  return undefined;
}
