// The one seam: nothing outside a World touches network, disk, clock or chance. Worlds are stacked as decorators:
// recorder(bounded(nested(live))). Each performs an effect or passes it on. What else an op needs hangs on the op.

import type { Attempt, UnstampedEvent } from '../journal/event.ts';
import type { FileChange } from '../kernel/change.ts';
import type { AgentName, Effect, LastResults, Parallel, SettledResult } from '../kernel/effect.ts';
import type { OpPath } from '../kernel/path.ts';
import type { HeldLimits, SharedContext, SharedHandles, SpawnId } from '../kernel/spawned.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import type { Deadline } from './deadline.ts';
import type { Isolation } from './isolation.ts';
import type { LiveEvent } from './live-event.ts';
import type { RunBudget } from './run-budget.ts';

export type { LiveEvent } from './live-event.ts';

/** The part that everything below an agent shares: inherited downwards, never changed. */
export interface Scope {
  readonly agent: AgentName;
  /** The number of runs above; the run itself has 0. */
  readonly depth: number;
  readonly parent?: Scope;
  /** The nearest budget that everything here draws on. */
  readonly runBudget?: RunBudget | undefined;
  /** The nearest deadline that everything here works under. */
  readonly deadline?: Deadline | undefined;
  /** The nearest spawned run that everything here is part of, and how deep those nest. */
  readonly spawned?: { readonly run: SpawnId; readonly depth: number } | undefined;
  /** The lowest spawn limits of the agents above. */
  readonly spawnLimits?: HeldLimits | undefined;
  /** The process in which models are called here. */
  readonly isolation?: Isolation | undefined;
  /** The shared context of the family that this agent was spawned in. */
  readonly shared?: SharedContext | undefined;
  /** The shared context of earlier runs of its family. */
  readonly family?: SharedContext | undefined;
  /** Handles that it was given with its request, and with what it shares. */
  readonly handles?: readonly string[] | undefined;
  readonly sharedHandles?: SharedHandles | undefined;
}

export interface Op {
  readonly path: OpPath;
  readonly scope: Scope;
  /** Aborted with a FaultError that says why: `cancelled` or `timeout`. */
  readonly signal: StopSignal;
  /** The world that the op was asked of. What is driven under its path asks the same world. */
  readonly world: World;
  /** The times at which the op began and ended, by the record, if that was before this process started. */
  since: number | undefined;
  until: number | undefined;
  /** The record holds something below it: it was let begin, and its budgets count it. */
  hasBegun: boolean;
  /** The signal without the deadline of the session that this op begins. It stops what the op launches. */
  readonly lasting?: StopSignal;
  /** The record holds its beginning and no end: it may have happened. */
  inDoubt: boolean;
  /** Put there by the recorder. Absent if nothing is recorded. */
  record: OpRecorder | undefined;
  /** Shows an event to those who watch the run. Absent if the run cannot be watched. */
  readonly show: Show | undefined;
}

export type Show = (event: LiveEvent) => void;

/** Records what happens between the beginning of an op and its end. The caller waits for each before it goes on. */
export interface OpRecorder {
  /** A model call reports each failed attempt at once, so that a crash does not lose what it cost. */
  attempt(made: AttemptMade): void | Promise<void>;
  /** A tool call reports what it is about to change: a change that no record knows of could not be taken back. */
  intent(change: FileChange): void | Promise<void>;
  /** The driver tells nobody which branches counted before this is written. */
  parallel(counted: readonly number[]): void | Promise<void>;
  /** `begun`: the record holds something below this parallel branch. `never`: it is complete, and holds nothing. */
  branch(index: number): 'begun' | 'open' | 'never';
}

/**
 * Everything that a world is asked for. Of parallel branches that may end early, the driver asks which of them counted by
 * the record: the answer is null while that is not recorded, and the op has a record after that. The last results of a
 * session are asked for at the op of its reply.
 */
export type WorldRequest = Effect | Parallel | LastResults;

/** An attempt at a model call that failed, and what happens next. */
export type AttemptMade = Omit<UnstampedEvent<Attempt>, 'type' | 'path'>;

export interface World {
  /**
   * Never throws for an expected failure of an effect: that is a Settled. A throw ends the whole run: it is a defect, a
   * journal that cannot be written, or a program that does not do what was recorded.
   */
  perform(effect: WorldRequest, op: Op): SettledResult | Promise<SettledResult>;
}
