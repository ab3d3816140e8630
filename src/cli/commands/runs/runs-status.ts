// cadre runs status and cadre runs wait: show the state of runs, and wait for their end. Runs may be of any process.

import { parseDuration } from '../../../definition/read/duration.ts';
import {
  getSubagentRunStatus,
  type SubagentRunStatus,
  waitForSubagentRunCompletion,
} from '../../../engine/remote/spawned.ts';
import { findRun } from '../../../engine/remote/start-after.ts';
import type { RunStore } from '../../../journal/store.ts';
import { EXIT, FAULTS, fail } from '../../../kernel/fault.ts';
import { isOver } from '../../../kernel/spawned.ts';
import { type StoreOptions, storeHere } from '../../lookup/store-place.ts';
import { wholeNumber } from '../../lookup/whole-number.ts';
import { print, printJson } from '../../screen/output.ts';

export interface RunsStatusOptions extends StoreOptions {
  readonly json?: boolean;
}

export async function runsStatus(asked: readonly string[], options: RunsStatusOptions): Promise<number> {
  const { store } = await storeHere(options);
  const found: SubagentRunStatus[] = [];
  for (const name of asked) found.push(await getSubagentRunStatus((await findRun(name, store)).run, store));
  report(found, options);
  return 0;
}

/** Exits 0 if all that were waited for answered, else with the code of the first that did not. */
export async function runsWait(
  asked: readonly string[],
  options: RunsStatusOptions & {
    readonly mode?: string;
    readonly timeout?: string;
  },
): Promise<number> {
  const { store } = await storeHere(options);
  const ids = await Promise.all(asked.map(async (name) => (await findRun(name, store)).run));
  const need = neededOf(options.mode, ids.length);
  const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout);
  if (options.timeout !== undefined && timeoutMs === undefined)
    fail('usage', `--timeout takes a time like 30s or 10m, not "${options.timeout}".`);
  await someOf(ids, need, timeoutMs, store);
  const now = await Promise.all(ids.map((id) => getSubagentRunStatus(id, store)));
  report(now, options);
  const ended = now.filter(({ state }) => isOver(state));
  if (ended.length < need) return EXIT.timedOut;
  const failed = ended.find(({ state }) => state !== 'answered');
  return failed === undefined
    ? EXIT.answered
    : failed.fault === undefined
      ? EXIT.failed
      : FAULTS[failed.fault.code].exit;
}

/** Waits until this many of them are over, or the time is up. */
async function someOf(
  ids: readonly string[],
  need: number,
  timeoutMs: number | undefined,
  store: RunStore,
): Promise<void> {
  let over = 0;
  await new Promise<void>((done, broken) => {
    const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs);
    const count = ({ state }: SubagentRunStatus): void => {
      if (isOver(state)) over += 1;
      if (over < need) return;
      clearTimeout(timer);
      done();
    };
    for (const id of ids) waitForSubagentRunCompletion(id, timeoutMs, store).then(count, broken);
  });
}

function neededOf(mode: string | undefined, count: number): number {
  if (mode === undefined || mode === 'all') return count;
  if (mode === 'any') return 1;
  return Math.min(wholeNumber('--mode', mode, { least: 1, says: 'all, any or a number from 1 on' }), count);
}

function report(found: readonly SubagentRunStatus[], { json }: RunsStatusOptions): void {
  if (json === true) {
    printJson(JSON.stringify(found, null, 2));
    return;
  }
  for (const { runId, label, state, waitingFor, fault } of found) {
    const name = label === runId ? runId : `${runId}  ${label}`;
    const why = fault === undefined ? (waitingFor.length === 0 ? '' : `for ${waitingFor.join(', ')}`) : fault.message;
    print([name, state, why].filter((part) => part !== '').join('  '));
  }
}
