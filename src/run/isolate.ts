// The process that a run gives each helper with `runner: subprocess`.

import type { CadreConfig } from '../definition/definition.ts';
import { isTelemetryOn } from '../definition/read/config/config-telemetry.ts';
import { spanOf, traceOf, traceparentFor } from '../journal/trace-context.ts';
import { ownerOf } from '../kernel/subagent.ts';
import type { OpenIsolation } from '../world/stack/with-isolation.ts';
import type { LiveRun } from './driven-run.ts';

export const isolationOf =
  ({ start, definition, cadre }: LiveRun): OpenIsolation =>
  ({ agent: name, limits }, { path }) => {
    const agent = definition.agents.get(ownerOf(name));
    const { openProcess } = cadre.resources;
    if (agent === undefined) throw new Error(`the checked cadre has no agent ${name}`);
    if (openProcess === undefined) throw new Error(`nothing here starts a process for ${name}`);
    return openProcess({
      agent,
      correlation: `${start.run}/${path}`,
      calls: (limits?.turns ?? agent.maxTurns) * agent.maxRetries * 2,
      environment: traceFor(start.run, path, definition.config),
    });
  };

/** The processes that this one starts may continue the run's trace. Its model calls are traced from our own record. */
function traceFor(run: string, path: string, config: CadreConfig): Readonly<Record<string, string>> {
  if (!isTelemetryOn(config, process.env)) return {};
  return { TRACEPARENT: traceparentFor(traceOf(run, process.env['TRACEPARENT']), spanOf(run, path)) };
}
