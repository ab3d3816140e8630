// Work under a deadline: it is stopped when the time is spent, and the time that it took is counted.
// K1. What counts is taken from the record where it holds both ends of an op, so a restart neither adds nor forgives.

import { FaultError } from '../kernel/fault.ts';
import { childStop } from './abort.ts';
import type { Deadline } from './deadline.ts';
import type { Op } from './world.ts';

/** Does the work under the deadline, and counts the time. */
export async function within<Value>(
  deadline: Deadline,
  op: Op,
  now: () => number,
  work: (op: Op) => Value | Promise<Value>,
): Promise<Value> {
  const since = op.since ?? now();
  deadline.isRunning = true;
  try {
    if (op.until !== undefined) return await work(op); // all of it is recorded, and so is how it ended
    return await withTimer(deadline, since, op, now, work);
  } finally {
    deadline.isRunning = false;
    deadline.usedMs += Math.max(0, (op.until ?? now()) - since); // K1
  }
}

async function withTimer<Value>(
  { ms, usedMs, fault }: Deadline,
  since: number,
  op: Op,
  now: () => number,
  work: (op: Op) => Value | Promise<Value>,
): Promise<Value> {
  const timed = childStop(op.signal);
  const expire = () => timed.signal.abort(new FaultError(fault));
  const all = ms - usedMs;
  const left = Math.min(all, since + all - now()); // a clock that is set back adds nothing
  const timer = left > 0 ? setTimeout(expire, left) : expire();
  try {
    return await work({ ...op, signal: timed.signal, lasting: op.lasting ?? op.signal });
  } finally {
    if (timer !== undefined) clearTimeout(timer);
    timed.unlink();
  }
}

/** Does the work under every deadline above a session whose own agent is not at work: those that are count already. */
export function withinAll<Value>(
  deadline: Deadline | undefined,
  op: Op,
  now: () => number,
  work: (op: Op) => Value | Promise<Value>,
): Value | Promise<Value> {
  if (deadline === undefined || deadline.isRunning) return work(op);
  return withinAll(deadline.parent, op, now, (outer) => within(deadline, outer, now, work));
}
