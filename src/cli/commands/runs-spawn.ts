// cadre runs spawn: writes a run down, starts a process that works on it in the background, and prints its id.

import { parseDuration } from '../../agents/duration.ts';
import { startWorker, workerCommand } from '../../engine/detached.ts';
import { openEngine } from '../../engine/open.ts';
import { startAfter, type SpawnWish } from '../../engine/start-after.ts';
import { fail } from '../../kernel/fault.ts';
import { parseJson } from '../../kernel/json.ts';
import { findAgent } from '../find-agent.ts';
import { print, printJson, tell } from '../out.ts';
import { labelOf } from '../label.ts';
import { inputOf } from '../read-input.ts';
import { openStore, storeOfCadre, type StoreOptions } from '../store-place.ts';

export interface RunsSpawnOptions extends StoreOptions {
  readonly dir?: string;
  readonly label?: string;
  readonly after?: readonly string[];
  readonly includeResult?: boolean;
  readonly onFailure?: string;
  readonly afterTimeout?: string;
  readonly context?: string;
  readonly json?: boolean;
}

const USUAL_WAIT_MS = 1_800_000;

export async function runsSpawn(asked: string, task: string, options: RunsSpawnOptions): Promise<number> {
  const { cadre, agent } = await findAgent(asked, options.dir);
  const place = storeOfCadre(options, cadre.config);
  const warn = tell;
  const store = openStore(place, warn);
  const label = labelOf(options);
  const { shared, after } = await startAfter(wishOf(options), store);
  if (after?.include === true && agent.input.format === 'json')
    fail('usage', `${agent.name} takes JSON, so no result can be put before its task.`);
  workerCommand(); // nothing is written down that nobody can work on
  const engine = await openEngine(cadre, { store, dir: place.dir, warn });
  try {
    const run = await engine.prepare({
      agent: agent.name,
      input: { ...inputOf(agent, task, asked), ...(shared && { shared }) },
      ...label,
      ...(after && { after }),
    });
    startWorker(run, place.dir);
    const answer = {
      status: 'accepted',
      runId: run,
      label: options.label ?? null,
      waitingFor: after?.runs.map((one) => one.run) ?? [],
    };
    if (options.json === true) printJson(JSON.stringify(answer));
    else print(run);
    return 0;
  } finally {
    await engine.close();
  }
}

function wishOf(options: RunsSpawnOptions): SpawnWish {
  const { after = [], includeResult = false, onFailure = 'abort', afterTimeout, context } = options;
  if (onFailure !== 'abort' && onFailure !== 'continue')
    return fail('usage', `--on-failure takes abort or continue, not "${onFailure}".`);
  const withinMs = afterTimeout === undefined ? USUAL_WAIT_MS : parseDuration(afterTimeout);
  if (withinMs === undefined)
    return fail('usage', `--after-timeout takes a time like 30s or 10m, not "${afterTimeout}".`);
  return {
    after,
    include: includeResult,
    onFailure,
    withinMs,
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
