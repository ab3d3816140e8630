// What the process of a helper is started with.

import type { CadreConfig } from '../../agents/definition.ts';
import { isTelemetryOn } from '../../agents/read/config/config-telemetry.ts';
import { spanOf, traceOf, traceparentFor } from '../../journal/trace-context.ts';
import { NOTHING_SECRET } from '../../kernel/redacted.ts';
import type { OpenIsolation } from '../../world/with-isolation.ts';
import type { LiveRun } from '../driven-run.ts';
import { environmentOf, sourcesFor } from './job.ts';
import { ModelProcess } from './model-process.ts';

/** A reply comes in pieces, each in an envelope. */
const BYTES_OF_A_CALL = 8_388_608;

export const isolationOf =
  ({ start, definition, cadre }: LiveRun): OpenIsolation =>
  ({ agent: name, request }, { path }) => {
    const agent = definition.agents.get(name);
    if (agent === undefined) throw new Error(`the checked cadre has no agent ${name}`);
    const { helperHost: host } = cadre.resources;
    const command = host?.command();
    const sources = sourcesFor(agent, definition.config);
    const isReady = host !== undefined && command !== undefined;
    const env = isReady && {
      ...environmentOf(agent, sources, host.environment()),
      ...traceFor(start.run, path, definition.config),
    };
    return new ModelProcess({
      command: isReady ? { ...command, env: env || {}, cwd: host.workspace } : undefined,
      correlation: `${start.run}/${path}`,
      job: { sources },
      capBytes: (request.maxIterations * agent.maxRetries * 2 + 4) * BYTES_OF_A_CALL,
      redactor: cadre.secrets ?? NOTHING_SECRET,
    });
  };

/** What the process starts itself may continue the run's trace. Its model calls are traced from our own record. */
function traceFor(run: string, path: string, config: CadreConfig): Readonly<Record<string, string>> {
  if (!isTelemetryOn(config, process.env)) return {};
  return { TRACEPARENT: traceparentFor(traceOf(run, process.env['TRACEPARENT']), spanOf(run, path)) };
}
