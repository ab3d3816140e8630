// Engines for tests. Their start and resume give the handle of the run, for tests that hold on to it.

import type { CadreDefinition } from '../../src/definition/definition.ts';
import type { ResumeOptions, RunHandle, RunRequest } from '../../src/engine/contract.ts';
import { Engine } from '../../src/engine/engine.ts';
import { runEnvironment } from '../../src/engine/open.ts';
import type { RunEnvironment } from '../../src/run/environment.ts';
import { LoadedCadre } from '../../src/run/loaded-cadre.ts';
import { memoryStore } from '../../src/stores/memory.ts';

export interface HandledEngine extends Omit<Engine, 'start' | 'resume'> {
  start(request: RunRequest): Promise<RunHandle>;
  resume(run: string, options?: ResumeOptions): Promise<RunHandle>;
  /** The engine as it is. */
  readonly bare: Engine;
}

/** An engine of a cadre, in an environment that differs from the usual one in this. */
export function engineOf(definition: CadreDefinition, differing: Partial<RunEnvironment> = {}): HandledEngine {
  const { store = memoryStore() } = differing;
  const pinned = async (): Promise<CadreDefinition> => definition;
  const environment: RunEnvironment = { ...runEnvironment({ store, warn() {} }), pinned, ...differing };
  return handled(new Engine(environment, new LoadedCadre(definition, environment)));
}

function handled(bare: Engine): HandledEngine {
  const own: Pick<HandledEngine, 'bare' | 'start' | 'resume'> = {
    bare,
    start: async (request) => bare.handle(await bare.start(request)),
    async resume(run, options) {
      await bare.resume(run, options);
      return bare.handle(run);
    },
  };
  return new Proxy(bare, {
    get(engine, name) {
      if (name in own) return own[name as keyof typeof own];
      const value: unknown = Reflect.get(engine, name, engine);
      return typeof value === 'function' ? value.bind(engine) : value;
    },
  }) as unknown as HandledEngine;
}
