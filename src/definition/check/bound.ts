// The bound: the most model calls that the limits of the files allow below an agent, and the most attempts,
// counting each retry on each of its models. Budgets and deadlines may end a run earlier; the bound ignores them.
//
//   run(a)        = the patterns of a around session(a), each by its own formula
//   session(a, t) = t + (t − 1) × maxToolCallsPerTurn × the most that one call adds   the last turn calls no one
//                   + (t − 1) ÷ keep compactions, rounded down, where the window may be known
//   seat(m, t)    = what m's patterns run before its seat, then a session of t turns of the agent that takes it;
//                   a member whose session is replaced, such as a team, runs that once before
//   bound(a)      = run(a) + most × max run(spawnable), for the spawners that a leads to: the most is per run
//
// A clarification spends the turns that its session has left, so it adds nothing.

import type { AgentName } from '../../kernel/effect.ts';
import { mostCompactions } from '../../kernel/session/compact-rules.ts';
import { type Cost, largestOf, NO_COST, type PatternBounds, sumOf, timesCost } from '../../patterns/bounds.ts';
import { wayToSeat } from '../../patterns/final-answerers.ts';
import { edgesOf, fromInside, isReplaced } from '../../patterns/record.ts';
import type { AgentDefinition } from '../definition.ts';
import { bottomUp, steps } from '../depth.ts';

type CallBound =
  | { readonly kind: 'bounded'; readonly calls: bigint; readonly attempts: bigint }
  | { readonly kind: 'unbounded'; readonly reason: string };

type AgentMap = ReadonlyMap<AgentName, AgentDefinition>;

/** Keeps the order of `agents`. An agent that leads into a cycle, which the check refuses, has no bound. */
export function boundsOf(
  agents: AgentMap,
  mayCompact: (agent: AgentDefinition) => boolean = () => false,
): ReadonlyMap<AgentName, CallBound> {
  const runs = new Map<AgentName, Cost>();
  for (const name of bottomUp(agents, agents.keys())) {
    const agent = agents.get(name);
    if (agent !== undefined && steps(agent).every(({ to }) => runs.has(to))) {
      runs.set(name, costOf(agent, { agents, runs, mayCompact }));
    }
  }
  const spawned = spawnedCosts(agents, runs);
  return new Map(
    [...agents.keys()].map((name): [AgentName, CallBound] => {
      const run = runs.get(name);
      const below = spawned(name);
      if (run === undefined || below === undefined)
        return [name, { kind: 'unbounded', reason: 'it leads into a cycle of agents' }];
      return [name, { kind: 'bounded', ...sumOf([run, below]) }];
    }),
  );
}

interface BoundContext {
  readonly agents: AgentMap;
  readonly runs: ReadonlyMap<AgentName, Cost>;
  mayCompact(agent: AgentDefinition): boolean;
}

/** A member's seat in a team: the agent, or the end of its chain, sits there. */
interface Seated {
  /** Its turns there. */
  readonly turns?: number | undefined;
  /** The cost of the agent that answers in its place. */
  readonly end?: Cost;
}

function costOf(agent: AgentDefinition, known: BoundContext, seated: Seated = {}): Cost {
  const bounds = boundsFor(agent, known, seated);
  const { end, turns } = seated;
  let cost = session(agent, end === undefined ? turns : undefined, bounds, known);
  for (const { pattern, config } of fromInside(agent.patterns)) {
    if (pattern.bound !== undefined) cost = pattern.bound(config, cost, bounds);
  }
  const others = edgesOf(agent).flatMap(({ to, times = 1, isAside, pattern }) =>
    isAside || pattern.bound !== undefined || pattern.callBound !== undefined ? [] : [timesCost(times, bounds.run(to))],
  );
  return sumOf([cost, ...others]);
}

function boundsFor(agent: AgentDefinition, known: BoundContext, seated: Seated): PatternBounds {
  const run = (name: AgentName): Cost => known.runs.get(name) ?? NO_COST;
  const bounds: PatternBounds = {
    agent: agent.name,
    isReplaced: isReplaced(agent),
    run,
    end: (name) => seated.end ?? run(name),
    session: (turns) => session(agent, turns, bounds, known),
    seat: (name, turns) => seatCost(name, turns, known),
    call: { calls: 1n, attempts: BigInt(agent.maxRetries * Math.max(1, agent.models.length)) },
  };
  return bounds;
}

function session(
  agent: AgentDefinition,
  given: number | undefined,
  bounds: PatternBounds,
  { mayCompact }: Pick<BoundContext, 'mayCompact'>,
): Cost {
  const turns = given ?? agent.maxTurns;
  const { compact } = agent;
  const summaries = compact !== undefined && mayCompact(agent) ? mostCompactions(turns, compact.keep) : 0;
  const calls = agent.patterns.map(({ pattern, config }) => pattern.callBound?.(config, bounds) ?? NO_COST);
  const asking = timesCost(Math.max(0, turns - 1) * agent.maxToolCallsPerTurn, largestOf(calls));
  return sumOf([timesCost(turns + summaries, bounds.call), asking]);
}

/**
 * Adds up the cost from the end of the member's chain to its beginning, without recursion: chains may be thousands
 * long.
 */
function seatCost(member: AgentName, turns: number | undefined, known: BoundContext): Cost {
  let end: Cost | undefined;
  for (const name of wayToSeat(member, known.agents)?.toReversed() ?? []) {
    const agent = known.agents.get(name);
    if (agent === undefined) return NO_COST;
    end =
      end === undefined && isReplaced(agent)
        ? sumOf([known.runs.get(name) ?? NO_COST, session(agent, turns, boundsFor(agent, known, {}), known)])
        : costOf(agent, known, end === undefined ? { turns } : { end });
  }
  return end ?? NO_COST;
}

/** The runs that background runs can add to a run of an agent; undefined if that leads into a cycle. */
function spawnedCosts(agents: AgentMap, runs: BoundContext['runs']): (name: AgentName) => Cost | undefined {
  const spawners = new Map([...agents.values()].map((agent) => [agent.name, backgroundOf(agent)]));
  if ([...spawners.values()].every((found) => found.length === 0)) return () => NO_COST;
  return (start) => {
    const seen = new Set<AgentName>();
    const waiting = [start];
    const spawnable = new Set<AgentName>();
    let total = 0;
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const agent = agents.get(name);
      if (seen.has(name) || agent === undefined) continue;
      seen.add(name);
      waiting.push(...steps(agent).map(({ to }) => to));
      for (const { most, agents: begun } of spawners.get(name) ?? []) {
        total = Math.max(total, most);
        waiting.push(...begun.filter((one) => !spawnable.has(one)));
        for (const one of begun) spawnable.add(one);
      }
    }
    const costs = [...spawnable].map((name) => runs.get(name));
    return costs.includes(undefined)
      ? undefined
      : timesCost(total, largestOf(costs.filter((cost) => cost !== undefined)));
  };
}

const backgroundOf = ({ name, patterns }: AgentDefinition) =>
  patterns.flatMap(({ pattern, config }) => pattern.background?.(config, name) ?? []);
