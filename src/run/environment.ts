// The decisions of the caller of an engine. The root makes this once, and everything that works on runs gets it whole.

import type { CadreDefinition } from '../definition/definition.ts';
import type { RunEvent, RunId, RunStart } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import type { Services } from '../kernel/session/session-spec.ts';
import type { Approver } from './approver.ts';
import type { Watcher } from './bus.ts';
import type { HostProgram } from './host-program.ts';
import type { CadreResources } from './resources.ts';
import type { SignInSecrets } from './sign-in-secrets.ts';

/** Watches every run from its first event on; `recorded` is what happened in it before. */
export type RunObserver = (run: RunId, recorded: readonly RunEvent[]) => Watcher;

export interface RunEnvironment {
  readonly store: RunStore;
  readonly services: Services;
  readonly approve: Approver;
  readonly observe: readonly RunObserver[];
  readonly host: HostProgram;
  /**
   * The root that the caller wants for the tools, if it is not the one of the configuration. Absolute; runs record it.
   */
  readonly workspace: string | undefined;
  /** The workers of the runs that are started and resumed: this process, or those of the store. */
  readonly work: 'here' | 'workers';
  /** Runs can be let go, so that they go on elsewhere or later. */
  readonly canSuspend: boolean;
  /** The time for which models and tools of resumed runs stay open when the last of these has ended. */
  readonly idleMs: number;
  /** Makes the tokens of the store's sign-ins secrets of each run. */
  readonly signInSecrets: SignInSecrets;
  /** Puts models and tools around a cadre, rooted at the workspace that a run recorded. */
  openResources(cadre: CadreDefinition, workspace?: string): CadreResources;
  /** The cadre of a resumed run, from the texts that it pinned. */
  pinned(start: RunStart): Promise<CadreDefinition>;
  /** Gets warnings about what went wrong outside of the runs. */
  warn(text: string): void;
  now(): number;
}
