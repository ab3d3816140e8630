// cadre runs spawn: writes a run down, starts a process that works on it in the background, and prints its id.

import { spawn as startProcess } from 'node:child_process';
import { parseDuration } from '../../agents/duration.ts';
import { assemble } from '../../engine/assemble.ts';
import { nobodyThere } from '../../engine/assembly.ts';
import { localEngine, pinnedCadre } from '../../engine/local.ts';
import { ownCommand } from '../../engine/own-command.ts';
import { services } from '../../engine/services.ts';
import { startAfter, type SpawnWish } from '../../engine/start-after.ts';
import { fail } from '../../kernel/fault.ts';
import { parseJson } from '../../kernel/json.ts';
import { findAgent } from '../find-agent.ts';
import { print, printJson, tell } from '../out.ts';
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

const LABEL = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,63}$/u;
const USUAL_WAIT_MS = 1_800_000;

export async function runsSpawn(asked: string, task: string, options: RunsSpawnOptions): Promise<number> {
  const { cadre, agent } = await findAgent(asked, options.dir);
  const place = storeOfCadre(options, cadre.config);
  const warn = tell;
  const store = openStore(place, warn);
  if (options.label !== undefined && !LABEL.test(options.label))
    fail('usage', '--label takes up to 64 letters, digits, spaces, "_", "." and "-".');
  const { shared, after } = await startAfter(wishOf(options), store);
  if (after?.include === true && agent.input.format === 'json')
    fail('usage', `${agent.name} takes JSON, so no result can be put before its task.`);
  const worker = ownCommand('runs', 'work') ?? fail('usage', 'Cadre has no built command line: npm run build');
  const engine = localEngine(cadre, {
    store,
    services,
    approve: nobodyThere,
    assemble: (one) => assemble(one, { store: place.dir }),
    pinned: (start) => pinnedCadre(start, store),
    warn,
    now: Date.now,
  });
  try {
    const run = await engine.prepare({
      agent: agent.name,
      input: { ...inputOf(agent, task, asked), ...(shared && { shared }) },
      ...(options.label !== undefined && { label: options.label }),
      ...(after && { after }),
    });
    const { command, args } = worker;
    // A group of its own: what ends this command does not end the run.
    startProcess(command, [...args, run, '--store', place.dir], { detached: true, stdio: 'ignore' }).unref();
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
