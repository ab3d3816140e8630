// cadre runs stop, cancel and send: a message to a run of any process. A message that the run cannot take is a fault.

import type { MessageReceipt } from '../../../engine/contract.ts';
import type { Engine } from '../../../engine/engine.ts';
import { newMessage } from '../../../engine/handle.ts';
import { openEngine } from '../../../engine/open.ts';
import { getSubagentRunStatus, waitForSubagentRunCompletion } from '../../../engine/remote/spawned.ts';
import { findRun } from '../../../engine/remote/start-after.ts';
import type { RunStore } from '../../../journal/store.ts';
import { EXIT, fail, faultOf } from '../../../kernel/fault.ts';
import { isOver, runOf } from '../../../kernel/spawned.ts';
import { type StoreOptions, storeHere } from '../../lookup/store-place.ts';
import { notify, print } from '../../screen/output.ts';
import { saidBy } from '../../screen/reader.ts';

export interface RunsCancelOptions extends StoreOptions {
  readonly reason?: string;
}

/** The time that a process gets to end its work. */
const CONFIRM_MS = 30_000;

export async function runsCancel(asked: string, options: RunsCancelOptions): Promise<number> {
  const { engine, store, id } = await reached(asked, options);
  const run = runOf(id);
  const reason = options.reason ?? 'Cancelled with: cadre runs cancel';
  const accepted = await engine.control(run, newMessage({ kind: 'cancel', ...toOf(id), reason, ...saidBy() }));
  if (accepted === 'waits') {
    if (id !== run) return waits(run, `it cancels ${id}`);
    const ended = engine.endHere(run).then(() => engine.outcome(run)); // its record gets an end
    const outcome = await ended.catch((thrown: unknown) => unlessTaken(thrown, store));
    if (outcome !== undefined) {
      print(`${id}  ${outcome.kind}`);
      return 0;
    }
  }
  const { state } = await waitForSubagentRunCompletion(id, CONFIRM_MS, store);
  if (!isOver(state))
    fail('run/locked', `${id} was asked to end and is still ${state}. See it with: cadre show ${run}`);
  if (state !== 'cancelled') fail('run/finished', `Run ${id} ended before it was cancelled: ${state}.`);
  print(`${id}  ${state}`);
  return 0;
}

/** Nothing if another process took the run up at this moment: that one takes the message. */
function unlessTaken(thrown: unknown, { fleet }: RunStore): undefined {
  const { code, message } = faultOf(thrown);
  if (code === 'store/unreachable' && fleet?.assigns === true)
    fail(code, `${message}. The run is cancelled when a worker takes it.`);
  if (code !== 'run/locked') throw thrown;
}

export async function runsStop(asked: string, options: RunsCancelOptions): Promise<number> {
  const { engine, id } = await reached(asked, options);
  if (id !== runOf(id)) fail('usage', `Only a whole run can be stopped. End ${id} with: cadre runs cancel ${id}`);
  const reason = options.reason ?? 'Stopped with: cadre runs stop';
  return told(
    await engine.control(id, newMessage({ kind: 'stop', reason, ...saidBy() })),
    id,
    'it is asked for its answer',
  );
}

export async function runsSend(asked: string, message: string, options: StoreOptions): Promise<number> {
  const { engine, id } = await reached(asked, options);
  const accepted = await engine.control(
    runOf(id),
    newMessage({ kind: 'send', ...toOf(id), text: message, ...saidBy() }),
  );
  return told(accepted, runOf(id), 'it gets the message');
}

const toOf = (id: string): { readonly to?: string } => (id === runOf(id) ? {} : { to: id });

const told = (accepted: MessageReceipt, run: string, what: string): number =>
  accepted === 'waits' ? waits(run, what) : EXIT.answered;

function waits(run: string, what: string): number {
  notify(`No process works on it now; ${what} when it is resumed: cadre resume ${run}`);
  return EXIT.answered;
}

async function reached(
  asked: string,
  options: StoreOptions,
): Promise<{
  readonly engine: Engine;
  readonly store: RunStore;
  /** The id of a run, or of one that it spawned, which has not ended. */
  readonly id: string;
}> {
  const { place, store } = await storeHere(options);
  const { run: id } = await findRun(asked, store);
  const { state } = await getSubagentRunStatus(id, store);
  if (isOver(state)) fail('run/finished', `Run ${id} has ended already: ${state}.`);
  return { engine: await openEngine(undefined, { store, dir: place.dir, warn: notify }), store, id };
}
