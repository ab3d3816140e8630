// An engine whose start and resume give the handle of the run, for tests that hold on to it.

import type { ResumeOptions, RunHandle, RunRequest } from '../../src/engine/engine.ts';
import type { LocalEngine } from '../../src/engine/local.ts';

export interface HandledEngine extends Omit<LocalEngine, 'start' | 'resume'> {
  start(request: RunRequest): Promise<RunHandle>;
  resume(run: string, options?: ResumeOptions): Promise<RunHandle>;
  /** As it is. */
  readonly bare: LocalEngine;
}

export const handled = (engine: LocalEngine): HandledEngine => ({
  ...engine,
  bare: engine,
  start: async (request) => engine.handle(await engine.start(request)),
  async resume(run, options) {
    await engine.resume(run, options);
    return engine.handle(run);
  },
});
