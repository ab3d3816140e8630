// The one composition root: an engine with everything around it that a program, a command or a worker needs. All code
// that runs agents opens it here, so that every run can be reached in the same way.

import { resolve } from 'node:path';
import type { CadreDefinition } from '../agents/definition.ts';
import type { RunStart } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import type { GivenProviders } from '../models/ai-sdk/provider-instance.ts';
import type { Pattern } from '../patterns/record.ts';
import type { TeamStrategy } from '../patterns/team/strategy.ts';
import type { RunObserver } from '../run/active-run.ts';
import type { BroadcastHook } from '../run/broadcast-hook.ts';
import { namesOfGiven, refuseElsewhere } from '../run/host-program.ts';
import { assembleCadre } from '../run/resources/open-resources.ts';
import { type Approver, type CadreAssembly, nobodyThere } from '../run/resources.ts';
import { services } from '../run/services.ts';
import { telemetryFor } from '../telemetry/for-cadre.ts';
import type { Tool } from '../tools/tool.ts';
import { pinnedCadre } from './history/pinned.ts';
import type { HostedCadre } from './hosted-cadre.ts';
import { type LocalEngine, localEngine } from './local.ts';

export interface EngineOptions {
  readonly store: RunStore;
  /** The folder of the store, if it has one. The file tools do not show it. */
  readonly dir?: string | undefined;
  /** Called before a tool call that needs approval. Default: the answer is no. */
  readonly approve?: Approver | undefined;
  /** Functions of the program, as tools. */
  readonly tools?: readonly Tool[] | undefined;
  /** Providers of the program, by name: any provider of the AI SDK. */
  readonly providers?: GivenProviders | undefined;
  /**
   * What the file tools are rooted at. Default: what a resumed run recorded, else what cadre.yaml says, else the cadre's
   * folder. Runs that are started record it, so that they go on with the same in any process.
   */
  readonly workspace?: string | undefined;
  /** How teams work together. Default: in cycles. */
  readonly strategy?: TeamStrategy | undefined;
  /** Sees what is said to a team before the team does. */
  readonly onBroadcast?: BroadcastHook | undefined;
  /** Patterns of the program, whose keys agents may use. */
  readonly patterns?: readonly Pattern[] | undefined;
  /** Runs can be let go between two calls, so that they go on later. */
  readonly canLeave?: boolean | undefined;
  /** Watches every run that this process works on. */
  readonly observe?: RunObserver | undefined;
  /**
   * Who works on what is started and resumed: this process, or the workers of the store. Default: this process, unless
   * only workers work on the runs of the store.
   */
  readonly work?: 'here' | 'workers';
  /** How long what resumed runs used stays open when the last of them has ended. Default: it is closed. */
  readonly idleMs?: number;
  /** Looks at a resumed run before it goes on, and says where its files are. Default: where it began. */
  readonly resumed?: (start: RunStart) => RunStart;
  /** Gets warnings about what went wrong outside of the runs. */
  warn(text: string): void;
}

export interface OpenedEngine extends Omit<LocalEngine, 'host'> {
  /** Starts runs of a further cadre, or of a newer reading of one. Its telemetry is its own. */
  host(cadre: CadreDefinition): Promise<HostedCadre>;
  /** Ends at once: sends only what can be sent in a moment. */
  leaving(): Promise<void>;
  /** Script steps that no call used, of the cadre that was assembled last, as `file:line`. */
  unusedSteps(): readonly string[];
}

/** Without a cadre the engine starts nothing; it follows, reaches and lists the runs of the store. */
export async function openEngine(cadre: CadreDefinition | undefined, options: EngineOptions): Promise<OpenedEngine> {
  const { store, dir, approve = nobodyThere, tools = [], providers = {}, warn } = options;
  const { strategy, onBroadcast, observe, canLeave, patterns = [] } = options;
  const by = workedBy(store, options.work);
  if (by === 'workers' && cadre !== undefined && store.fleet?.assigns === true)
    refuseElsewhere(cadre, { tools, providers, strategy, onBroadcast });
  const workspace = options.workspace === undefined ? undefined : resolve(options.workspace);
  const known = { knownTools: tools.map(({ spec }) => spec.name), knownProviders: namesOfGiven(providers), patterns };
  const telemetry = cadre && (await telemetryFor(cadre, warn));
  const further = new Set<NonNullable<typeof telemetry>>();
  const sending = () => (telemetry === undefined ? [...further] : [telemetry, ...further]);
  let latest: CadreAssembly | undefined;
  const engine = localEngine(cadre, {
    store,
    services,
    approve,
    assemble: (one, recorded) =>
      (latest = assembleCadre(one, {
        tools,
        providers,
        ...recorded,
        ...(workspace !== undefined && { workspace }),
        ...(dir !== undefined && { store: dir }),
        ...(store.fleet?.slot && { slot: store.fleet.slot }),
      })),
    ...(workspace !== undefined && { workspace }),
    pinned: async (start) => pinnedCadre(options.resumed?.(start) ?? start, store, known),
    work: by,
    ...(options.idleMs !== undefined && { idleMs: options.idleMs }),
    ...(strategy && { strategy }),
    ...(onBroadcast && { onBroadcast }),
    ...observedBy(observe, telemetry?.watch),
    ...(canLeave && { canLeave }),
    warn,
    now: store.now ?? Date.now,
  });
  return {
    ...engine,
    async host(one) {
      const its = await telemetryFor(one, warn);
      const { observe: both } = observedBy(observe, its?.watch);
      const hosted = engine.host(one, both);
      if (its === undefined) return hosted;
      further.add(its);
      const retire = async (): Promise<void> => {
        await hosted.retire();
        if (further.delete(its)) await its.close();
      };
      return { ...hosted, retire };
    },
    leaving: async () => {
      await Promise.all(sending().map((one) => one.flush()));
    },
    unusedSteps: () => latest?.unusedSteps() ?? [],
    async close() {
      await engine.close();
      await Promise.all(sending().map((one) => one.close()));
    },
  };
}

/** Who works on the runs of a store, if nothing else is asked for. */
export const workedBy = (store: RunStore, asked?: 'here' | 'workers'): 'here' | 'workers' =>
  asked ?? (store.fleet?.assigns === true ? 'workers' : 'here');

function observedBy(one: RunObserver | undefined, other: RunObserver | undefined): { readonly observe?: RunObserver } {
  if (one === undefined || other === undefined) {
    const only = one ?? other;
    return only === undefined ? {} : { observe: only };
  }
  return {
    observe(run, recorded) {
      const [first, second] = [one(run, recorded), other(run, recorded)];
      return {
        event(event) {
          first.event?.(event);
          second.event?.(event);
        },
        live(event) {
          first.live?.(event);
          second.live?.(event);
        },
      };
    },
  };
}
