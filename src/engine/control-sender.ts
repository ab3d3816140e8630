// Says something to a run that another process works on, or nobody does. The message lies in the store's queue until the
// run has recorded it. Whoever sends it is told what became of it.
// SEND-1. The message is in the queue before we look who works on the run. A process that takes the run up later reads
//         the queue first; one that had it before either records the message or ends without it.
// SEND-2. What cannot be taken any more is taken back by us. If it is gone by then, the run took it.

import type { ControlTaken, RunId } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { fail } from '../kernel/fault.ts';
import { decidedText } from './verdicts.ts';
import type { Accepted } from './engine.ts';
import { approvalsOf } from './waiting-approvals.ts';

export interface SendOptions {
  /** How long a process gets to record the message. */
  readonly withinMs?: number;
}

const REACTS_WITHIN_MS = 30_000;
/** How often we look whether the process that works on the run is still there: its death writes no event. */
const LOOK_MS = 300;

export async function sendControl(
  run: RunId,
  message: ControlMessage,
  store: RunStore,
  { withinMs = REACTS_WITHIN_MS }: SendOptions = {},
): Promise<Accepted> {
  const { events: from } = await unfinished(run, store);
  if (message.kind === 'verdict') await refuseDecided(run, message.op, store);
  await store.control.post(run, message); // SEND-1
  const leave = new AbortController();
  try {
    const taken = takenOrEnded(run, message.id, store, from, leave.signal);
    for (const deadline = Date.now() + withinMs; ; ) {
      const { state } = await store.summary(run);
      if (state === 'broken-off') return 'waits';
      const left = deadline - Date.now();
      const event = await Promise.race([taken, later(Math.max(1, Math.min(LOOK_MS, left)), leave.signal)]);
      if (event === 'ended') return await takeBack(run, message, store, 'finished', from);
      if (event !== undefined) return accepted(run, event);
      if (left <= 0) return await takeBack(run, message, store, 'locked', from);
    }
  } finally {
    leave.abort();
  }
}

/** Throws where the run has ended. */
async function unfinished(run: RunId, store: RunStore): Promise<{ readonly events: number }> {
  const summary = await store.summary(run);
  if (summary.state === 'ended') fail('run/finished', `Run ${run} has ended already: ${summary.outcome}.`);
  return summary;
}

async function refuseDecided(run: RunId, op: string, store: RunStore): Promise<void> {
  const { waiting, decided } = await approvalsOf(run, store);
  const known = decided.get(op);
  if (known !== undefined) fail('approval/decided', decidedText(op, known));
  if (waiting.some(({ path }) => path === op)) return;
  const others = waiting.map(({ path }) => path).join(', ');
  fail('approval/unknown', `No op ${op} of run ${run} waits for a person. ${others === '' ? 'None does.' : `These do: ${others}`}`);
}

/** The event that records the message, or that the run ended. */
async function takenOrEnded(
  run: RunId,
  id: string,
  store: RunStore,
  from: number,
  signal: AbortSignal,
): Promise<ControlTaken | 'ended' | undefined> {
  for await (const event of store.follow(run, from, signal)) {
    if (event.type === 'control' && event.message.id === id) return event;
  }
  return signal.aborted ? undefined : 'ended';
}

/** SEND-2 */
async function takeBack(
  run: RunId,
  { id, kind }: ControlMessage,
  store: RunStore,
  why: 'finished' | 'locked',
  from: number,
): Promise<Accepted> {
  const isBack = await store.control.withdraw(run, id);
  if (!isBack) {
    for await (const event of store.read(run, from))
      if (event.type === 'control' && event.message.id === id) return accepted(run, event);
  }
  if (why === 'finished') fail('run/finished', `Run ${run} ended before it took the ${kind} message.`);
  const what = isBack ? 'was taken back' : 'is in its hands: it may still take it';
  return fail(
    'run/locked',
    `The process that works on run ${run} does not react, and the ${kind} message ${what}. ` +
      `If that process is gone: cadre resume ${run} --take-over`,
  );
}

/** A message that was recorded and had no effect is a fault for whoever sent it. */
export function accepted(run: RunId, { message, refused }: Pick<ControlTaken, 'message' | 'refused'>): Accepted {
  if (refused === undefined) return 'taken';
  return fail(message.kind === 'verdict' ? 'approval/decided' : 'run/finished', refused, { run });
}

const later = (ms: number, signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve(undefined);
      },
      { once: true },
    );
  });
