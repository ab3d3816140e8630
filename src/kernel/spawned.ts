// The data of background runs: what a session orders, the answer that it gets at once, and what can be known of such a
// run later. Other modules decide who starts them and when.

import { type Fault, type OutcomeKind } from './fault.ts';
import { isBroken, type Outcome } from './outcome.ts';
import { childPath, type OpPath } from './path.ts';

/** `<run>~<path of its task>`: it exists from acceptance on. */
export type SpawnId = string;

/** The run whose process works on a spawned run. */
export const runOf = (id: SpawnId): string => id.split('~')[0] ?? id;

/** JSON values by key, resolved once when a run starts, and never changed. */
export type SharedContext = Readonly<Record<string, unknown>>;

/** The handles of values that a shared context holds only in part, by key. */
export type SharedHandles = Readonly<Record<string, string>>;

/** One child that a session wants. References are resolved already. */
export interface SpawnOrder {
  readonly label: string;
  readonly agent: string;
  /** The runs that it waits for. */
  readonly after: readonly SpawnId[];
}

export interface SpawnLimits {
  /** The depth to which spawned runs may nest. */
  readonly maxDepth: number;
  /** Unfinished children of one session. */
  readonly maxChildren: number;
  /** Spawned runs of the whole run. */
  readonly maxTotal: number;
  /** Spawned runs that work at the same time. */
  readonly maxConcurrent: number;
}

/** The limits below an agent: each is the lowest of its own and of all above it, with the agent that set it. */
export type HeldLimits = Readonly<Record<keyof SpawnLimits, { readonly agent: string; readonly maximum: number }>>;

export function leastLimits(above: HeldLimits | undefined, agent: string, own: SpawnLimits): HeldLimits {
  const least = (limit: keyof SpawnLimits) => {
    const held = above?.[limit];
    return held !== undefined && held.maximum < own[limit] ? held : { agent, maximum: own[limit] };
  };
  return {
    maxDepth: least('maxDepth'),
    maxChildren: least('maxChildren'),
    maxTotal: least('maxTotal'),
    maxConcurrent: least('maxConcurrent'),
  };
}

export type SpawnReceipt =
  | {
      readonly status: 'accepted';
      readonly run: SpawnId;
      readonly sessionKey: string;
      /** The runs that it starts after and that had not ended yet. Journals of 0.2.0 do not say. */
      readonly waitingFor?: readonly SpawnId[];
    }
  | { readonly status: 'forbidden'; readonly error: string; readonly current: number; readonly maximum: number };

/** The answer to `spawn`. */
export interface SpawnAnswer {
  /** The id that names all of them. */
  readonly group: string;
  /** One for each order. */
  readonly receipts: readonly SpawnReceipt[];
  /** The number of runs that may work at the same time, if an agent above allows fewer than was asked for. */
  readonly maxConcurrent?: number;
}

/** `waiting` for dependencies, `queued` for a slot, `skipped` because of a dependency. */
export type SpawnState = 'waiting' | 'queued' | 'running' | 'skipped' | OutcomeKind;

/** The state of a spawned run, as far as it is known. */
export interface SpawnReport {
  readonly run: SpawnId;
  readonly label: string;
  readonly agent: string;
  readonly state: SpawnState;
  /** The session that spawned it, and its own. */
  readonly parent: OpPath;
  readonly session: OpPath;
  readonly after: readonly SpawnId[];
  /** While it waits: those of `after` that have not ended. Journals of 0.2.0 do not say. */
  readonly waitingFor?: readonly SpawnId[];
  readonly group?: string;
  readonly spawnedAt: number;
  readonly beganAt?: number;
  readonly endedAt?: number;
  readonly fault?: Fault;
  /** The outcome, with its text, if it was asked for. */
  readonly outcome?: Outcome;
}

export interface AwaitedRuns {
  /** `cancelled`: the waiting session or run was ended. */
  readonly over: 'done' | 'timeout' | 'cancelled';
  /** The reports stand in the order of the request, and include runs that are not over. */
  readonly runs: readonly SpawnReport[];
}

export type SpawnBegin =
  | { readonly began: true; readonly ended?: readonly SpawnReport[] }
  | { readonly began: false; readonly fault: Fault };

/** The receiver of a sent message; null if it has ended. */
export interface SpawnDelivery {
  readonly to: OpPath | null;
  readonly state: SpawnState;
}

/** The end of a run, in the words for spawned ones: a run that its dependency kept from starting was skipped. */
export const endState = (outcome: Outcome): SpawnState =>
  isBroken(outcome) && outcome.fault.code === 'spawn/dependency' ? 'skipped' : outcome.kind;

export const isOver = (state: SpawnState): boolean => state !== 'waiting' && state !== 'queued' && state !== 'running';

/**
 * The path of the session of a spawned run: its task waits for dependencies, if there are any, then begins, then runs.
 * This is written once, because the key of the session is given out before it starts.
 */
export const spawnedSession = (task: OpPath, waits: boolean): OpPath => childPath(task, waits ? 2 : 1);

/** The root cause that a skipped run names, for the runs that depend on it. */
export interface RootCause {
  readonly run: SpawnId;
  readonly label: string;
  readonly state: SpawnState;
  readonly message: string;
}

/** A run of its own starts after these other runs of the same store. */
export interface StartAfter {
  readonly runs: readonly NamedRun[];
  /** Runs whose results its shared context takes in, by key. */
  readonly references: Readonly<Record<string, NamedRun>>;
  readonly include: boolean;
  readonly onFailure: 'abort' | 'continue';
  /** The time that it waits at most, counted from its start. */
  readonly withinMs: number;
}

export interface NamedRun {
  readonly run: SpawnId;
  readonly label: string;
}
