// The most model calls that the limits of the files allow, as a pattern counts them.

import type { AgentName } from '../kernel/effect.ts';

export interface Cost {
  readonly calls: bigint;
  /** Counts each retry on each model. */
  readonly attempts: bigint;
}

/** The numbers for a pattern's own formula. All are about one run of the agent that declares the pattern. */
export interface PatternBounds {
  /** The agent that declares the pattern. */
  readonly agent: AgentName;
  /** Other agents work in the place of this one's session. */
  readonly isReplaced: boolean;
  /** A run of another agent. */
  run(agent: AgentName): Cost;
  /** The agent that answers in place of this one: a run of it, or its seat where this agent is a member of a team. */
  end(agent: AgentName): Cost;
  /** The session of this agent, with this number of turns in place of its own. */
  session(turns: number | undefined): Cost;
  /** An agent that sits in a team, with this number of turns in place of its own. */
  seat(agent: AgentName, turns: number | undefined): Cost;
  /** One model call. */
  readonly call: Cost;
}

export const NO_COST: Cost = { calls: 0n, attempts: 0n };

export const sumOf = (costs: readonly Cost[]): Cost =>
  costs.reduce((a, b) => ({ calls: a.calls + b.calls, attempts: a.attempts + b.attempts }), NO_COST);

export const timesCost = (factor: number, { calls, attempts }: Cost): Cost => ({
  calls: BigInt(factor) * calls,
  attempts: BigInt(factor) * attempts,
});

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export const largestOf = (costs: readonly Cost[]): Cost =>
  costs.reduce((a, b) => ({ calls: larger(a.calls, b.calls), attempts: larger(a.attempts, b.attempts) }), NO_COST);
