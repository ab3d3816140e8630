// The bound: the most model calls that the limits of the files allow below an agent, and the most attempts,
// counting each retry on each of its models. Budgets and deadlines may end a run earlier; the bound ignores them.
//
//   run(a)          = Σ times × run(asked) + part(a) + max run(destination) + Σ over stages (run(to) + run(else))
//   part(a)         = session(a, maxTurns), or for a team Σ seat(member) + session(supervisor, supervisorMaxTurns)
//   session(a, t)   = t + (t − 1) × maxToolCallsPerTurn × max(run(callee), subagent.maxIterations)   the last turn calls no one
//   seat(m)         = what m's chain runs before its end, then memberMaxTurns of a session of the agent at its end;
//                     a member that is a team runs it once before
//   bound(a)        = run(a) + maxTotal × max run(spawnable), for the spawners that a leads to: maxTotal is per run
//
// A clarification spends the turns that its session has left, so it adds nothing.

import type { AgentName } from '../../kernel/effect.ts';
import { edgesOf } from '../../patterns/catalog.ts';
import type { AgentDefinition } from '../definition.ts';
import type { Definitions } from '../link/answerers.ts';
import { bottomUp, steps } from '../link/nesting.ts';

export type Bound =
  | { readonly kind: 'bounded'; readonly calls: bigint; readonly attempts: bigint }
  | { readonly kind: 'unbounded'; readonly reason: string };

export interface Cost {
  readonly calls: bigint;
  readonly attempts: bigint;
}

const NOTHING: Cost = { calls: 0n, attempts: 0n };
const plus = (...costs: readonly Cost[]): Cost =>
  costs.reduce((a, b) => ({ calls: a.calls + b.calls, attempts: a.attempts + b.attempts }), NOTHING);
const times = (factor: number, { calls, attempts }: Cost): Cost => ({
  calls: BigInt(factor) * calls,
  attempts: BigInt(factor) * attempts,
});
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const most = (costs: Iterable<Cost>): Cost =>
  [...costs].reduce((a, b) => ({ calls: larger(a.calls, b.calls), attempts: larger(a.attempts, b.attempts) }), NOTHING);

/** Keeps the order of `agents`. An agent that leads into a cycle, which the check refuses, has no bound. */
export function boundsOf(agents: ReadonlyMap<AgentName, AgentDefinition>): ReadonlyMap<AgentName, Bound> {
  const runs = new Map<AgentName, Cost>();
  for (const name of bottomUp(agents, agents.keys())) {
    const agent = agents.get(name);
    if (agent !== undefined && steps(agent).every(({ to }) => runs.has(to)))
      runs.set(name, runCost(agent, agents, runs));
  }
  const spawned = spawnedCosts(agents, runs);
  return new Map(
    [...agents.keys()].map((name): [AgentName, Bound] => {
      const run = runs.get(name);
      const below = spawned(name);
      if (run === undefined || below === undefined)
        return [name, { kind: 'unbounded', reason: 'it leads into a cycle of agents' }];
      return [name, { kind: 'bounded', ...plus(run, below) }];
    }),
  );
}

type Runs = ReadonlyMap<AgentName, Cost>;
const of = (name: AgentName | undefined, runs: Runs): Cost =>
  name === undefined ? NOTHING : (runs.get(name) ?? NOTHING);

function runCost(agent: AgentDefinition, agents: Definitions, runs: Runs): Cost {
  return plus(
    beforeChain(agent, agents, runs),
    ...(agent.chain?.stages ?? []).map((stage) => plus(of(stage.to, runs), of(stage.else, runs))),
  );
}

function beforeChain(agent: AgentDefinition, agents: Definitions, runs: Runs): Cost {
  const { router, team } = agent;
  return plus(
    asked(agent, runs),
    team === undefined ? session(agent, agent.maxTurns, runs) : teamCost(agent, team, agents, runs),
    most((router?.destinations ?? []).map((name) => of(name, runs))),
  );
}

/** The agents that patterns ask a fixed number of times: advisors, and those that a program's patterns name. */
function asked(agent: AgentDefinition, runs: Runs): Cost {
  const counted = edgesOf(agent).map(({ to, times: often, pattern: { writing } }) =>
    times(often ?? (writing === undefined ? 0 : 1), of(to, runs)),
  );
  return plus(...counted);
}

function session(agent: AgentDefinition, turns: number, runs: Runs): Cost {
  const attempts = BigInt(agent.maxRetries * Math.max(1, agent.models.length));
  const one: Cost = { calls: 1n, attempts };
  const callees = agent.agents.map((name) => of(name, runs));
  if (agent.subagent?.enabled === true) callees.push(times(agent.subagent.maxIterations, one));
  return plus(times(turns, one), times(Math.max(0, turns - 1) * agent.maxToolCallsPerTurn, most(callees)));
}

function teamCost(
  agent: AgentDefinition,
  team: NonNullable<AgentDefinition['team']>,
  agents: Definitions,
  runs: Runs,
): Cost {
  const supervisor = agents.get(team.supervisor) ?? agent;
  return plus(
    ...team.members.map((member) => seat(member, team.memberMaxTurns, agents, runs)),
    supervisor === agent ? NOTHING : asked(supervisor, runs),
    session(supervisor, team.supervisorMaxTurns ?? supervisor.maxTurns, runs),
  );
}

function seat(member: AgentName, turns: number | undefined, agents: Definitions, runs: Runs): Cost {
  let cost = NOTHING;
  for (let agent = agents.get(member); agent !== undefined; ) {
    const stages = agent.chain?.stages ?? [];
    const last = stages.at(-1);
    if (last === undefined) {
      const before = agent.team === undefined ? asked(agent, runs) : of(agent.name, runs);
      return plus(cost, before, session(agent, turns ?? agent.maxTurns, runs));
    }
    const passed = stages.slice(0, -1).map((stage) => plus(of(stage.to, runs), of(stage.else, runs)));
    cost = plus(cost, beforeChain(agent, agents, runs), ...passed);
    agent = agents.get(last.to);
  }
  return cost;
}

/** What background runs can add to a run of an agent; undefined where that leads into a cycle. */
function spawnedCosts(
  agents: ReadonlyMap<AgentName, AgentDefinition>,
  runs: Runs,
): (name: AgentName) => Cost | undefined {
  if ([...agents.values()].every((agent) => agent.spawn === undefined)) return () => NOTHING;
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
      if (agent.spawn === undefined) continue;
      total = Math.max(total, agent.spawn.maxTotal);
      // Without a name, a session spawns its own file.
      for (const one of [agent.name, ...agent.spawn.agents]) {
        if (spawnable.has(one)) continue;
        spawnable.add(one);
        waiting.push(one);
      }
    }
    const costs = [...spawnable].map((name) => runs.get(name));
    return costs.includes(undefined) ? undefined : times(total, most(costs.filter((cost) => cost !== undefined)));
  };
}
