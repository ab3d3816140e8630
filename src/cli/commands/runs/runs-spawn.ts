// cadre runs spawn: writes a run down, starts a process that works on it in the background, and prints its id.

import { parseJson } from '../../../base/text/json.ts';
import { parseDuration } from '../../../definition/read/duration.ts';
import { openEngine } from '../../../engine/open.ts';
import { handOver } from '../../../engine/remote/hand-over.ts';
import { spawnRun } from '../../../engine/remote/spawn-run.ts';
import type { SpawnOptions } from '../../../engine/remote/start-after.ts';
import { fail } from '../../../kernel/fault.ts';
import { findAgent } from '../../lookup/find-agent.ts';
import { inputOf } from '../../lookup/read-input.ts';
import { openStore, type StoreOptions, storeOfCadre } from '../../lookup/store-place.ts';
import { type WorkspaceOptions, workspaceFrom } from '../../lookup/workspace.ts';
import { notify, print, printJson } from '../../screen/output.ts';

export interface RunsSpawnOptions extends StoreOptions, WorkspaceOptions {
  readonly dir?: string;
  readonly label?: string;
  readonly after?: readonly string[];
  readonly includeResult?: boolean;
  readonly onFailure?: string;
  readonly afterTimeout?: string;
  readonly context?: string;
  readonly json?: boolean;
}

export async function runsSpawn(asked: string, task: string, options: RunsSpawnOptions): Promise<number> {
  const { cadre, agent } = await findAgent(asked, options.dir, workspaceFrom(options));
  const place = storeOfCadre(options, cadre);
  const workspace = workspaceFrom(options);
  const warn = notify;
  const store = await openStore(place, warn);
  const engine = await openEngine(cadre, { store, dir: place.dir, workspace, warn });
  try {
    const wish = wishOf(options);
    const input = inputOf(agent, task, asked);
    const { run, waitingFor } = await spawnRun(
      { agent, input, ...wish },
      { store, handOver: handOver({ store, dir: place.dir, engine }) },
    );
    const answer = { status: 'accepted', runId: run, label: options.label ?? null, waitingFor };
    if (options.json === true) printJson(JSON.stringify(answer));
    else print(run);
    return 0;
  } finally {
    await engine.close();
  }
}

function wishOf(options: RunsSpawnOptions): SpawnOptions {
  const { label, after = [], includeResult = false, onFailure = 'abort', afterTimeout, context } = options;
  if (onFailure !== 'abort' && onFailure !== 'continue')
    return fail('usage', `--on-failure takes abort or continue, not "${onFailure}".`);
  const afterTimeoutMs = afterTimeout === undefined ? undefined : parseDuration(afterTimeout);
  if (afterTimeout !== undefined && afterTimeoutMs === undefined)
    return fail('usage', `--after-timeout takes a time like 30s or 10m, not "${afterTimeout}".`);
  return {
    after,
    includeResult,
    onFailure,
    ...(label !== undefined && { label }),
    ...(afterTimeoutMs !== undefined && { afterTimeoutMs }),
    ...(context !== undefined && { context: parsed(context) }),
  };
}

function parsed(context: string): unknown {
  try {
    return parseJson(context);
  } catch (thrown) {
    return fail('usage', `--context takes a JSON object: ${(thrown as Error).message}`);
  }
}
