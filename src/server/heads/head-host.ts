// What heads need of the process that serves them. `cadre serve` and `cadre mcp` each provide it; a head uses nothing
// else, so it does not know which of the two it is in.

import type { AgentDefinition, CadreDefinition } from '../../agents/definition.ts';
import type { RunHandle, RunRequest } from '../../engine/engine.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';

/** An agent that clients can ask. */
export interface ServedAgent {
  /** What clients name it by: its name, after the prefix of its cadre where several are served. */
  readonly name: string;
  readonly agent: AgentDefinition;
  readonly cadre: CadreDefinition;
}

export interface HeadHost {
  /** The agents that new runs use. */
  agents(): readonly ServedAgent[];
  /** Throws `agent/unknown`. */
  find(name: string): ServedAgent;
  readonly store: RunStore;
  /** Throws a fault if the request cannot be used, or if there are too many runs at once. */
  start(served: ServedAgent, request: RunRequest): Promise<RunId>;
  handle(run: RunId): RunHandle;
  /** A text as it is recorded: without the secrets that this process knows. */
  redact(text: string): string;
  warn(text: string): void;
}

/** Who asks, and what they may do. */
export interface HeadCaller {
  /** Shown to anyone who asks who decided. */
  readonly name: string;
  /** May the caller do this with the agent, by the name that clients use? */
  may(what: 'see' | 'run' | 'approve', agent: string): boolean;
}

/** Everything that a request through a head works with. */
export interface HeadParts {
  readonly host: HeadHost;
  readonly caller: HeadCaller;
  now(): number;
}
