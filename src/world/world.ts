// The one seam: nothing outside a World touches network, disk, clock or chance. Worlds are stacked as decorators:
// recorder(bounded(nested(live))).

import type { Attempt, Unstamped } from '../journal/event.ts';
import type { FileChange } from '../kernel/change.ts';
import type { AgentName, Effect, Settled } from '../kernel/effect.ts';
import type { OpPath } from '../kernel/path.ts';
import type { HeldLimits, SharedContext, SharedHandles, SpawnId } from '../kernel/spawned.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import type { Deadline } from './deadline.ts';
import type { LiveEvent } from './live-event.ts';
import type { RunBudget } from './state/budgets.ts';

export type { LiveEvent } from './live-event.ts';

/** What everything below an agent shares: inherited downwards, never changed. */
export interface Scope {
  readonly agent: AgentName;
  /** How many runs deep; the run itself is 0. */
  readonly depth: number;
  readonly parent?: Scope;
  /** The nearest budget that everything here draws on. */
  readonly runBudget?: RunBudget | undefined;
  /** The nearest deadline that everything here works under. */
  readonly deadline?: Deadline | undefined;
  /** The nearest spawned run that everything here is part of, and how deep those nest. */
  readonly spawned?: { readonly run: SpawnId; readonly depth: number } | undefined;
  /** How much may be spawned here: the lowest limits of the agents above. */
  readonly spawnLimits?: HeldLimits | undefined;
  /** The shared context of the family that this agent was spawned in. */
  readonly shared?: SharedContext | undefined;
  /** What earlier runs of its family were given. */
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
  /** When the op began and ended, by the record, if that was before this process started. */
  since: number | undefined;
  until: number | undefined;
  /** The signal without the deadline of the session that this op begins. It stops what the op launches. */
  readonly lasting?: StopSignal;
  /** The record holds its beginning and no end: it may have happened. */
  inDoubt: boolean;
}

/** An attempt at a model call that failed, and what happens next. */
export type AttemptMade = Omit<Unstamped<Attempt>, 'type' | 'path'>;

export interface World {
  /**
   * Never throws for an expected failure of an effect: that is a Settled. A throw ends the whole run: it is a defect, a
   * journal that cannot be written, or a program that does not do what was recorded.
   */
  perform(effect: Effect, op: Op): Settled | Promise<Settled>;
  /** Which branches of a fork counted when it ended early; undefined while that is not recorded. */
  recallFork(path: OpPath): readonly number[] | undefined;
  /** The caller waits for this before it tells anyone which branches counted. */
  recordFork(path: OpPath, counted: readonly number[]): void | Promise<void>;
  /**
   * A model call reports each failed attempt at once, so that a crash does not lose what it cost. The next attempt
   * begins when this has settled. Absent if nothing is recorded.
   */
  readonly recordAttempt?: ((path: OpPath, made: AttemptMade) => void | Promise<void>) | undefined;
  /**
   * A tool call reports what it is about to change, and makes the change when this has settled. Undefined if nothing
   * is recorded. Every decorator says so or passes it on: a change that no record knows of could not be taken back.
   */
  readonly recordIntent: ((path: OpPath, change: FileChange) => void | Promise<void>) | undefined;
  /** Shows an event to those who watch the run. Absent if the run cannot be watched. */
  readonly show?: ((event: LiveEvent) => void) | undefined;
}
