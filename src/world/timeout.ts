// Work under a deadline: it is stopped when the time has run out, and the time that it took is counted.
// TIMEOUT-1. If the record holds both ends of an op, the time comes from the record, so a restart changes nothing.
// TIMEOUT-2. What lies between a crash and the resume after it is no time of work, and counts for no deadline.

import { type Fault, FaultError } from '../kernel/fault.ts';
import { childStop } from './abort.ts';
import type { Deadline } from './deadline.ts';
import type { Op } from './world.ts';

export interface DeadlineClock {
  now(): number;
  /** A moment on the clock that stands still while no process works on the run (TIMEOUT-2). */
  workTime(moment: number): number;
}

/** Does the work under the deadline, and counts the time. */
export async function withTimeout<Value>(
  deadline: Deadline,
  op: Op,
  clock: DeadlineClock,
  work: (op: Op) => Value | Promise<Value>,
): Promise<Value> {
  const now = (): number => clock.workTime(clock.now());
  const since = op.since === undefined ? now() : clock.workTime(op.since);
  deadline.isRunning = true;
  try {
    if (op.until !== undefined) return await work(op); // all of it is recorded, also how it ended
    const all = deadline.ms - deadline.usedMs;
    const left = Math.min(all, since + all - now()); // a clock that is set back adds nothing
    return await withTimer(left, deadline.fault, op, work);
  } finally {
    deadline.isRunning = false;
    deadline.usedMs += Math.max(0, (op.until === undefined ? now() : clock.workTime(op.until)) - since); // TIMEOUT-1
  }
}

async function withTimer<Value>(
  left: number,
  late: Fault,
  op: Op,
  work: (op: Op) => Value | Promise<Value>,
): Promise<Value> {
  const timed = childStop(op.signal);
  const expire = () => timed.signal.abort(new FaultError(late));
  const timer = left > 0 ? setTimeout(expire, left) : expire();
  try {
    return await work({ ...op, signal: timed.signal, lasting: op.lasting ?? op.signal });
  } finally {
    if (timer !== undefined) clearTimeout(timer);
    timed.unlink();
  }
}

/** Does the work under this deadline and those above it, up to the first one that runs: its time counts already. */
export function withinAll<Value>(
  deadline: Deadline | undefined,
  op: Op,
  clock: DeadlineClock,
  work: (op: Op) => Value | Promise<Value>,
): Value | Promise<Value> {
  if (deadline === undefined || deadline.isRunning) return work(op);
  return withinAll(deadline.parent, op, clock, (outer) => withTimeout(deadline, outer, clock, work));
}
