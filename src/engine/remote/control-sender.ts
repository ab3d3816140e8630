// Sends a message to a run that another process works on, or no process at all. The message stays in the store's
// queue until the run has recorded it. The sender learns what became of it.
// SEND-1. The message is in the queue before we look who works on the run. A process that takes the run up later reads
//         the queue first; one that had it before either records the message or ends without it.
// SEND-2. We take back a message that the run cannot take any more. If it is gone by then, the run took it.
// SEND-3. Of two verdicts that wait in the queue for the same op, the one that was posted first will count. Who comes later
//         is told who decided, and takes back what was posted at the same moment.

import { setTimeout } from 'node:timers/promises';
import type { ControlTaken, RunEnd, RunEvent, RunId, RunStart } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { type ControlMessage, type GiveVerdict, verdictIn } from '../../kernel/control.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import type { TakenMessage } from '../../run/control-intake.ts';
import { decidedFault, type KnownQuestions, verdictFault } from '../../run/verdict-fault.ts';
import { redactedValue } from '../../secrets/redacted-value.ts';
import { ApprovalsFold } from '../../views/approvals.ts';
import type { MessageReceipt } from '../contract.ts';
import { secretsOfRun, startOf } from '../pinned.ts';

const REACTS_WITHIN_MS = 30_000;
/** The pause between two checks that the process that works on the run is alive: its death writes no event. */
const LOOK_MS = 300;

/** The message is stored until the run has taken it, so it is redacted first, as the run would redact it. */
export async function sendControl(
  run: RunId,
  said: ControlMessage,
  store: RunStore,
  {
    withinMs = REACTS_WITHIN_MS,
  }: {
    /** The time that a process gets to record the message. */
    readonly withinMs?: number;
  } = {},
): Promise<MessageReceipt> {
  const before = await readBefore(run, said, store);
  if (before.taken !== undefined) return acceptance(run, before.taken);
  if (said.kind === 'verdict') refuseSecond(said, await firstPosted(run, said, store));
  const message = redactedValue(said, await secretsOfRun(before.start, store));
  const posted: PostedMessage = { run, message, store, from: before.events };
  await store.control.post(run, message); // SEND-1
  const leave = new AbortController();
  try {
    const taken = takenOrEnded(posted, leave.signal);
    taken.catch(() => {}); // the race below throws it, unless another failure came first
    for (const deadline = Date.now() + withinMs; ; ) {
      const { state } = await store.summary(run);
      if (state === 'broken-off') return await waiting(posted);
      const left = deadline - Date.now();
      const event = await Promise.race([taken, later(Math.max(1, Math.min(LOOK_MS, left)), leave.signal)]);
      if (event === 'ended') return await takeBack(posted, 'finished');
      if (event !== undefined) return await whyRefused(run, event, store);
      if (left <= 0) return await takeBack(posted, 'locked');
    }
  } finally {
    leave.abort();
  }
}

/** A message that lies in the queue of a run. */
interface PostedMessage {
  readonly run: RunId;
  readonly message: ControlMessage;
  readonly store: RunStore;
  /** The events from here on are recorded after the message was posted. */
  readonly from: number;
}

/** Throws if the run has ended, or if the message can have no effect. */
async function readBefore(
  run: RunId,
  message: ControlMessage,
  store: RunStore,
): Promise<{
  readonly start: RunStart;
  /** The number of events. */
  readonly events: number;
  /** The same message, if it was sent before. */
  readonly taken?: ControlTaken;
}> {
  const approvals = new ApprovalsFold();
  let events = 0;
  let first: RunEvent | undefined;
  let end: RunEnd | undefined;
  for await (const event of store.read(run)) {
    first ??= event;
    if (event.type === 'control' && event.message.id === message.id)
      return { start: startOf([first]), events, taken: event };
    approvals.add(event);
    events = event.seq + 1;
    if (event.type === 'run-end') end = event;
  }
  const wrong = message.kind === 'verdict' ? verdictFault(run, message, questionsOf(approvals)) : undefined;
  if (end !== undefined && wrong?.code !== 'approval/decided')
    fail('run/finished', `Run ${run} has ended already: ${end.outcome.kind}.`);
  if (wrong !== undefined) throw new FaultError(wrong);
  return { start: startOf(first === undefined ? [] : [first]), events };
}

const questionsOf = (approvals: ApprovalsFold): KnownQuestions => ({
  decided: (op) => approvals.decided.get(op),
  waiting: () => approvals.waiting(),
});

/** The event that records the message, or that the run ended. */
async function takenOrEnded(
  { run, message, store, from }: PostedMessage,
  signal: AbortSignal,
): Promise<ControlTaken | 'ended' | undefined> {
  for await (const event of store.follow(run, from, signal)) {
    if (event.type === 'control' && event.message.id === message.id) return event;
  }
  return signal.aborted ? undefined : 'ended';
}

/** The message waits until the run is resumed, unless another verdict waits for the same op. SEND-3 */
async function waiting({ run, message, store }: PostedMessage): Promise<MessageReceipt> {
  if (message.kind !== 'verdict') return 'waits';
  const first = await firstPosted(run, message, store);
  if (first === undefined || first.id === message.id) return 'waits';
  await store.control.withdraw(run, message.id);
  throw new FaultError(decidedFault(message.op, verdictIn(first)));
}

/** The verdict for the same op that will count: the first in the queue. */
async function firstPosted(run: RunId, { op }: GiveVerdict, store: RunStore): Promise<GiveVerdict | undefined> {
  for (const one of await store.control.posted(run)) if (one.kind === 'verdict' && one.op === op) return one;
  return undefined;
}

function refuseSecond({ op, id }: GiveVerdict, first: GiveVerdict | undefined): void {
  if (first !== undefined && first.id !== id) throw new FaultError(decidedFault(op, verdictIn(first)));
}

/** SEND-2 */
async function takeBack(
  { run, message, store, from }: PostedMessage,
  why: 'finished' | 'locked',
): Promise<MessageReceipt> {
  const { id, kind } = message;
  const isBack = await store.control.withdraw(run, id);
  if (!isBack) {
    for await (const event of store.read(run, from))
      if (event.type === 'control' && event.message.id === id) return acceptance(run, event);
  }
  if (why === 'finished') fail('run/finished', `Run ${run} ended before it took the ${kind} message.`);
  const what = isBack ? 'was taken back' : 'may still be taken';
  return fail(
    'run/locked',
    `The process that works on run ${run} does not react, and the ${kind} message ${what}. ` +
      `If that process is gone: cadre resume ${run} --take-over`,
  );
}

/** The run has taken it. Where another verdict was first, its sender is told who decided. */
async function whyRefused(run: RunId, taken: ControlTaken, store: RunStore): Promise<MessageReceipt> {
  const { message, refused } = taken;
  if (refused === undefined || message.kind !== 'verdict') return acceptance(run, taken);
  const approvals = new ApprovalsFold();
  for await (const event of store.read(run)) approvals.add(event);
  const first = approvals.decided.get(message.op);
  if (first === undefined) return acceptance(run, taken);
  throw new FaultError(decidedFault(message.op, first));
}

/** If a message was recorded and had no effect, its sender gets a fault. Events of earlier releases have no code. */
export function acceptance(run: RunId, { message, refused, code }: TakenMessage): MessageReceipt {
  if (refused === undefined) return 'taken';
  return fail(code ?? (message.kind === 'verdict' ? 'approval/decided' : 'run/finished'), refused, { run });
}

const later = (ms: number, signal: AbortSignal): Promise<undefined> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined); // the wait was aborted
