// cadre runs cancel and cadre runs send: a letter to the process that works on a run. One that cannot be delivered is a
// fault, and is not left lying.

import { setTimeout } from 'node:timers/promises';
import { fileMailbox, type Posted, runOf } from '../../engine/mailbox.ts';
import { getSubagentRunStatus, waitForSubagentRunCompletion } from '../../engine/spawned.ts';
import { findRun } from '../../engine/start-after.ts';
import type { RunStore } from '../../journal/store.ts';
import { EXIT, fail } from '../../kernel/fault.ts';
import { isOver } from '../../kernel/spawned.ts';
import { print, tell } from '../out.ts';
import { openStore, storeFromHere, type StoreOptions } from '../store-place.ts';
import { workOn } from './runs-work.ts';

export interface RunsCancelOptions extends StoreOptions {
  readonly reason?: string;
}

/** How long a process gets to end what it works on. */
const CONFIRM_MS = 30_000;

export async function runsCancel(asked: string, options: RunsCancelOptions): Promise<number> {
  const place = await storeFromHere(options);
  const store = openStore(place, tell);
  const { run } = await unfinished(asked, store);
  const reason = options.reason ?? 'Cancelled with: cadre runs cancel';
  if (await isWorkedOn(run, store)) {
    const letter = fileMailbox(place.dir).post({ kind: 'cancel', to: run, reason });
    const { state } = await waitForSubagentRunCompletion(run, CONFIRM_MS, store);
    letter.withdraw();
    if (!isOver(state)) noReaction(run, `it is still ${state}`);
    if (state !== 'cancelled') fail('run/finished', `Run ${run} ended before it was cancelled: ${state}.`);
    print(`${run}  ${state}`);
    return 0;
  }
  if (run !== runOf(run))
    fail('run/locked', `No process works on run ${runOf(run)}. Take it up with: cadre resume ${runOf(run)}`);
  const outcome = await workOn(run, store, place, (handle) => handle.cancel(reason)); // its record gets an end
  print(`${run}  ${outcome.kind}`);
  return 0;
}

export async function runsSend(asked: string, message: string, options: StoreOptions): Promise<number> {
  const place = await storeFromHere(options);
  const store = openStore(place, tell);
  const { run } = await unfinished(asked, store);
  const letter = fileMailbox(place.dir).post({ kind: 'send', to: run, text: message });
  if (await isWorkedOn(run, store)) await readOrFail(letter, run, store);
  else tell(`No process works on it now; it gets the message when it is taken up: cadre resume ${runOf(run)}`);
  return EXIT.answered;
}

const LOOK_MS = 50;

/** Returns when the process that works on the run has the message. */
async function readOrFail(letter: Posted, run: string, store: RunStore): Promise<void> {
  for (const deadline = Date.now() + CONFIRM_MS; !letter.isRead(); await setTimeout(LOOK_MS)) {
    const { state } = await getSubagentRunStatus(run, store);
    const isLate = Date.now() > deadline;
    if ((!isOver(state) && !isLate) || !letter.withdraw()) continue;
    if (isOver(state)) fail('run/finished', `Run ${run} ended before it read the message: ${state}.`);
    noReaction(run, 'it has not read the message, which was taken back');
  }
}

function noReaction(run: string, what: string): never {
  const way = `If that process is gone: cadre resume ${runOf(run)} --take-over`;
  fail('run/locked', `The process that works on ${run} does not react: ${what}. ${way}`);
}

async function unfinished(asked: string, store: RunStore): Promise<{ readonly run: string }> {
  const { run } = await findRun(asked, store);
  const { state } = await getSubagentRunStatus(run, store);
  if (isOver(state)) fail('run/finished', `Run ${run} has ended already: ${state}.`);
  return { run };
}

async function isWorkedOn(id: string, store: RunStore): Promise<boolean> {
  const run = runOf(id);
  return (await store.list({ state: 'running' })).some((one) => one.run === run);
}
