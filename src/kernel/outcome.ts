// Outcomes: how a session, child or run ended. `answered` is the only success; every other kind carries
// what went wrong and what was written until then.

import { FAULTS, type Fault, fault } from './fault.ts';
import type { OpPath } from './path.ts';
import type { SubagentRecord } from './subagent.ts';

interface ChainLineage {
  /** The agent that ended it: the terminal agent for an answer, the stage that broke otherwise. */
  readonly agent?: string;
  /** The stages that a chain went through, as tool names: the agent that was asked, then those that followed it. */
  readonly chainedStages?: readonly string[];
  /** The cases that the branches of a chain took, in the order of its steps. */
  readonly cases?: readonly string[];
  /** The answers that the agent gave, if it was repeated until one was good. */
  readonly rounds?: number;
  /** The items of a map, and those that have an answer, if a map was the last step. */
  readonly items?: { readonly count: number; readonly answered: number };
  /** Set when a debugging switch ended the run before the end of its chain. */
  readonly stoppedAfter?: string;
  /** The handle by which the whole text can be read back, if it is long. */
  readonly handle?: OpPath;
  /** The session that answered, if it was kept open, and the turns it has left. */
  readonly session?: OpPath;
  readonly turnsLeft?: number;
  /** The record that a helper's caller gets beside the summary, which is the text or the partial output. */
  readonly record?: SubagentRecord;
}

export interface AnsweredOutcome extends ChainLineage {
  readonly kind: 'answered';
  readonly text: string;
  /** The parsed answer, if the contract asked for JSON. */
  readonly data?: unknown;
  /** The answers of a loop are spent and none was found good: this is the last one. */
  readonly unmet?: true;
  /** The broadcast by which this participant of a team ended its part in the cycle. */
  readonly broadcast?: number;
}

export interface RoutedOutcome extends ChainLineage {
  readonly kind: 'routed';
  readonly to: string;
  readonly message?: string;
  /** The JSON input for the destination, if it takes JSON. */
  readonly input?: unknown;
}

interface LeftOutcome extends ChainLineage {
  readonly kind: 'left';
  readonly success: boolean;
  readonly text: string;
}

export interface BrokenOutcome extends ChainLineage {
  readonly kind: 'exhausted' | 'over-budget' | 'timed-out' | 'cancelled' | 'failed';
  readonly fault: Fault;
  readonly partial?: string;
}

export type Outcome = AnsweredOutcome | RoutedOutcome | LeftOutcome | BrokenOutcome;

/** The end of a whole run. `routed` and `left` end a session: its destination, or its team, goes on from there. */
export type RunOutcome = AnsweredOutcome | BrokenOutcome;

/** The outcome of a run, held to what a run may end in. */
export function runOutcome(outcome: Outcome): RunOutcome {
  if (outcome.kind === 'routed' || outcome.kind === 'left') throw new Error(`a run cannot end as ${outcome.kind}`);
  return outcome;
}

/** The outcome that a fault leads to, by the fault table. */
export function brokenOutcome(of: Fault, partial?: string): BrokenOutcome {
  const kind = FAULTS[of.code].outcome as BrokenOutcome['kind'];
  return partial === undefined || partial === '' ? { kind, fault: of } : { kind, fault: of, partial };
}

/** The text of a reply that broke off. The fault carries it. */
export function writtenIn({ details }: Fault): string | undefined {
  const written = details?.['written'];
  return typeof written === 'string' ? written : undefined;
}

/** The outcome of a failed model call. The partial output is what it wrote, or else what was written before it. */
export function brokenCall(of: Fault, before: string): BrokenOutcome {
  const { details: { written: _, ...details } = {}, ...bare } = of;
  const why = Object.keys(details).length === 0 ? bare : { ...bare, details };
  const written = writtenIn(of);
  return written === undefined ? brokenOutcome(of, before) : brokenOutcome(why, written);
}

export const cancelledOutcome = (why: string): BrokenOutcome => brokenOutcome(fault('cancelled', why));

export const isAnswered = (outcome: Outcome): outcome is AnsweredOutcome => outcome.kind === 'answered';
/** Where a session was to be kept open: the result of a map without a join, which no session gave. */
export const isMadeByMap = ({ kind, items, session }: Outcome): boolean =>
  kind === 'answered' && items !== undefined && session === undefined;
/** A participant that waits for its team's next cycle: its session goes on. */
export const isPause = (outcome: Outcome): boolean => outcome.kind === 'answered' && outcome.broadcast !== undefined;
export const isBroken = (outcome: Outcome): outcome is BrokenOutcome => 'fault' in outcome;

/** One sentence for people and parents: the outcome word, then why. */
export function describe(outcome: Outcome): string {
  if (isBroken(outcome)) return `${outcome.kind}: ${outcome.fault.message}`;
  if (outcome.kind === 'routed') return `routed to ${outcome.to}`;
  return outcome.kind;
}
