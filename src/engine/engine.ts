// The engine: where runs are started, taken up again and reached from outside. Local and distributed differ only here.

import type { AgentName, RunInput } from '../kernel/effect.ts';
import type { RunOutcome } from '../kernel/outcome.ts';
import type { OutputContract } from '../kernel/schema.ts';
import type { StartAfter } from '../kernel/spawned.ts';
import type { RunEvent, RunId } from '../journal/event.ts';
import type { Watcher } from './bus.ts';

export interface RunRequest {
  readonly agent: AgentName;
  readonly input: RunInput;
  /** The caller's contract: it binds the agent that answers. */
  readonly contract?: OutputContract | undefined;
  /** For debugging: end the run after this stage of a chain. */
  readonly stopAfter?: AgentName | undefined;
  /** A name for it, and the runs of the same store that it starts after. */
  readonly label?: string;
  readonly after?: StartAfter;
  /** The conversation that the run is part of. */
  readonly thread?: string;
  /** The run before it in the thread. */
  readonly continues?: RunId;
}

export interface RunHandle {
  readonly run: RunId;
  /** Every event from the run's first on, as it is written; ends with the run. */
  events(): AsyncIterable<RunEvent>;
  watch(watcher: Watcher): () => void;
  /**
   * Never rejects for what happened in the run. Rejects where the journal itself cannot be written or followed, or where
   * another process took the run over.
   */
  outcome(): Promise<RunOutcome>;
  /** Asks every session for its final answer now. */
  stop(reason: string): void;
  /** Ends it at once. */
  cancel(reason: string): void;
  /** A person's message to the run's own session. Throws `run/finished` once the run is over. */
  send(text: string): void;
}

export interface ResumeOptions {
  /** Fences out whoever holds the run, dead or alive. Without it, a run whose holder may be alive is refused. */
  readonly takeOver?: boolean;
}

export interface Engine {
  start(request: RunRequest): Promise<RunHandle>;
  /** Takes up a run that was broken off. */
  resume(run: RunId, options?: ResumeOptions): Promise<RunHandle>;
  close(): Promise<void>;
}
