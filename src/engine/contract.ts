// The requests of callers to an engine, and the handles that they get of a run.

import type { RunEvent, RunId } from '../journal/event.ts';
import type { TakenRun } from '../journal/store.ts';
import type { ControlMessage } from '../kernel/control.ts';
import type { AgentName, RunInput } from '../kernel/effect.ts';
import type { RunOutcome } from '../kernel/outcome.ts';
import type { OutputContract } from '../kernel/schema.ts';
import type { StartAfter } from '../kernel/spawned.ts';
import type { Watcher } from '../run/bus.ts';
import type { LoadedCadre } from '../run/loaded-cadre.ts';
import type { LiveEvent } from '../world/world.ts';

export interface RunRequest {
  readonly agent: AgentName;
  readonly input: RunInput;
  /** The caller's contract: it binds the agent that answers. */
  readonly contract?: OutputContract | undefined;
  /** The run ends after this stage of a chain, for debugging. */
  readonly stopAfter?: AgentName | undefined;
  /** A name for it, and the runs of the same store that it starts after. */
  readonly label?: string;
  readonly after?: StartAfter;
  /** The conversation that the run is part of. */
  readonly thread?: string;
  /** The run before it in the thread. */
  readonly continues?: RunId;
}

export interface StartOptions {
  /** Default: the engine's own cadre. */
  readonly cadre?: LoadedCadre;
  /** The id of the new run. Default: one that is made of the time. */
  readonly run?: RunId;
  /** The run is recorded at once, and begins its work when this has settled. */
  readonly turn?: Promise<unknown>;
}

export interface ResumeOptions {
  /** Fences out the holder of the run, dead or alive. Without it, a run whose holder may be alive is refused. */
  readonly takeOver?: boolean;
  /** The run goes on when this has settled. */
  readonly turn?: Promise<unknown>;
  /** It was taken from a fleet: it is claimed already. */
  readonly taken?: TakenRun;
}

/** A page of a list, and where the next page begins. `next` is absent on the last page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** The ways to reach a run of any process. */
export interface RunReach {
  /**
   * Every event from a sequence number on, as it is written, of whichever process works on the run. Ends with the run, and
   * when the signal is aborted.
   */
  events(run: RunId, from?: number, signal?: AbortSignal): AsyncIterable<RunEvent>;
  /** Yields the live events from now on. Nothing if the store cannot carry them from another process. */
  live(run: RunId): AsyncIterable<LiveEvent>;
  /** Both in the order in which they happen, from now on. */
  watch(run: RunId, watcher: Watcher): () => void;
  /**
   * Sends a message to a run of any process. When it returns, the run has taken the message, or will take it when it is
   * resumed. Otherwise it throws: `run/unknown`, `run/finished`, `approval/decided`, or `run/locked` if the
   * process that holds the run does not react.
   */
  control(run: RunId, message: ControlMessage): Promise<MessageReceipt>;
  /**
   * Waits for the end. Never rejects for what happened in the run. Rejects if the journal itself cannot be written or
   * followed, or where another process took the run over.
   */
  outcome(run: RunId): Promise<RunOutcome>;
}

/** `taken`: it is in the journal. `waits`: no process works on the run now, and a resume takes the message first. */
export type MessageReceipt = 'taken' | 'waits';

type WithoutId<Message> = Message extends ControlMessage ? Omit<Message, 'id'> : never;
/** A message as callers write it. Its id is made when it is sent. */
export type UnsentMessage = WithoutId<ControlMessage>;

/** One run of an engine: what the engine can do, bound to it. */
export interface RunHandle {
  readonly run: RunId;
  events(from?: number, signal?: AbortSignal): AsyncIterable<RunEvent>;
  live(): AsyncIterable<LiveEvent>;
  watch(watcher: Watcher): () => void;
  outcome(): Promise<RunOutcome>;
  control(saying: UnsentMessage): Promise<MessageReceipt>;
  /** Asks every session for its final answer now. */
  stop(reason: string): Promise<MessageReceipt>;
  /** Ends it at once. */
  cancel(reason: string): Promise<MessageReceipt>;
  /** A person's message to the run's own session. */
  send(text: string): Promise<MessageReceipt>;
  /**
   * Like Ctrl+C in the process that works on the run: the work ends without a message to the run. If the process
   * dies before the run has ended, it can be resumed as if it had not been interrupted.
   */
  interrupt(how: 'stop' | 'cancel', reason: string): void;
}
