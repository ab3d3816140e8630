// What the pattern keys of an agent file say, once references are resolved to agent names.

import type { AgentName } from '../kernel/effect.ts';
import type { SpawnLimits } from '../kernel/spawned.ts';

export interface ChainStage {
  readonly to: AgentName;
  /** The agent that runs when `to` does not answer. */
  readonly else?: AgentName;
}

/** `next` and `handoff`: the stages that always follow the agent's own answer, in order. */
export interface ChainConfig {
  readonly trigger: 'next' | 'handoff';
  readonly stages: readonly ChainStage[];
  readonly pass: 'answer' | 'request+answer';
}

export interface RouterConfig {
  readonly destinations: readonly AgentName[];
}

export type AdvisorsPolicy =
  | { readonly kind: 'isolate' }
  | { readonly kind: 'all' }
  | { readonly kind: 'quorum'; readonly count: number };

export interface AdvisorsConfig {
  readonly agents: readonly AgentName[];
  readonly timeoutMs?: number;
  readonly policy: AdvisorsPolicy;
}

export interface TeamConfig {
  readonly members: readonly AgentName[];
  /** The declaring agent's own name if the file says `self`. */
  readonly supervisor: AgentName;
  readonly memberMaxTurns?: number;
  readonly supervisorMaxTurns?: number;
}

export interface SpawnConfig extends SpawnLimits {
  /** The agents that may be spawned: every agent of the folder if the file names none. */
  readonly agents: readonly AgentName[];
}
