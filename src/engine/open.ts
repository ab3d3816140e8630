// The one composition root: an engine with everything around it that a program, a command or a worker needs. All code
// that runs agents opens it here, so that every run can be reached in the same way.

import { resolve } from 'node:path';
import type { CadreDefinition } from '../definition/definition.ts';
import type { RunStart } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import { type Approver, nobodyThere } from '../run/approver.ts';
import type { RunEnvironment, RunObserver } from '../run/environment.ts';
import { type HostProgram, namesOfHost, refuseElsewhere } from '../run/host-program.ts';
import { openResources } from '../run/resources/open-resources.ts';
import { services } from '../run/services.ts';
import { SignInSecrets } from '../run/sign-in-secrets.ts';
import { Engine } from './engine.ts';
import { withTelemetry } from './loaded-cadres.ts';
import { pinnedCadre } from './pinned.ts';

interface EngineOptions extends Partial<HostProgram> {
  readonly store: RunStore;
  /** The folder of the store, if it has one. The file tools do not show it. */
  readonly dir?: string | undefined;
  /** Called before a tool call that needs approval. Default: the answer is no. */
  readonly approve?: Approver | undefined;
  /**
   * The root of the file tools. Default: the one that a resumed run recorded, else that of cadre.yaml, else the cadre's
   * folder. Runs that are started record it, so that they go on with the same in any process.
   */
  readonly workspace?: string | undefined;
  /** Runs can be let go between two calls, so that they go on later. Those of a store that machines share always can. */
  readonly canSuspend?: boolean;
  /** Watches every run that this process works on. */
  readonly observe?: RunObserver;
  /**
   * The workers of the runs that are started and resumed: this process, or those of the store. Default: this process,
   * unless only workers work on the runs of the store.
   */
  readonly work?: 'here' | 'workers';
  /**
   * The time for which the resources of resumed runs stay open when the last of them has ended. Default: they are
   * closed.
   */
  readonly idleMs?: number;
  /** Looks at a resumed run before it goes on, and says where its files are. Default: where it began. */
  readonly resumed?: (start: RunStart) => RunStart;
  /** Gets warnings about what went wrong outside of the runs. */
  warn(text: string): void;
}

/** Opens an engine. Without a cadre it starts nothing; it follows, reaches and lists the runs of the store. */
export async function openEngine(cadre: CadreDefinition | undefined, options: EngineOptions): Promise<Engine> {
  const environment = runEnvironment(options);
  const { store, work, host } = environment;
  if (work === 'workers' && cadre !== undefined && store.fleet?.assigns === true) refuseElsewhere(cadre, host);
  return new Engine(environment, cadre && (await withTelemetry(cadre, environment)));
}

export function runEnvironment(options: EngineOptions): RunEnvironment {
  const { store, dir, approve = nobodyThere, observe, canSuspend = false, idleMs = 0, warn } = options;
  const { tools = [], providers = {}, patterns = [], strategy, onBroadcast } = options;
  const host: HostProgram = { tools, providers, patterns, strategy, onBroadcast };
  const names = namesOfHost(host);
  const workspace = options.workspace === undefined ? undefined : resolve(options.workspace);
  return {
    store,
    services,
    approve,
    observe: observe === undefined ? [] : [observe],
    host,
    workspace,
    work: workedBy(store, options.work),
    canSuspend: canSuspend || store.fleet !== undefined,
    idleMs,
    signInSecrets: new SignInSecrets(store.signIns, warn),
    openResources: (cadre, recorded) =>
      openResources(cadre, {
        tools,
        providers,
        workspace: workspace ?? recorded,
        store: dir,
        signIns: store.signIns,
        slot: store.fleet?.slot,
      }),
    pinned: async (start) => pinnedCadre(options.resumed?.(start) ?? start, store, names),
    warn,
    now: store.now ?? Date.now,
  };
}

/** The workers of a store's runs, if nothing else is asked for. */
export const workedBy = (store: RunStore, asked?: 'here' | 'workers'): 'here' | 'workers' =>
  asked ?? (store.fleet?.assigns === true ? 'workers' : 'here');
