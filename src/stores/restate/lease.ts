// Appending to a run from outside of Restate: its beginning, a copy of another run, an undo. Only such short work is done
// here; whoever drives a run does it as a worker, inside the invocation of the run.
// OUT-1. An append names the epoch of its claim and the place of its first event, and is refused if one of them is not as
//        the writer believes. A take-over raises the epoch.
// OUT-2. The object of a run does one thing at a time. While an invocation works on the run, an append from outside would
//        wait for its end, so a claim is refused then.
// OUT-3. An invocation is killed only while a worker answers, who then fences the run: a run that waits for the first worker
//        is known by its invocation alone.

import type { RunEvent, RunId } from '../../journal/event.ts';
import type { RunLease } from '../../journal/log.ts';
import { fail } from '../../kernel/fault.ts';
import { checkOrder } from '../order.ts';
import { type EventReads, headOf, type RunHead, readRun } from './events.ts';
import { invocationsOf, placedOf } from './state.ts';
import { Batcher, batchText, RUN } from './wire.ts';

/** The time that a worker may take to answer before a take-over is refused. */
const FENCED_BY_MS = 10_000;

export function outsideClaims(reading: EventReads) {
  const { client, unknown } = reading;
  /** The runs that this process holds. */
  const held = new Map<RunId, { isTaken: boolean }>();
  const fresh = new Set<RunId>();

  const begin = async (run: RunId, expectedSeq: number, mine: { isTaken: boolean }): Promise<RunLease> => {
    const { summary, epoch, at } = await headOf(client, run);
    const events = summary?.events ?? 0;
    if (expectedSeq > 0 && events === 0) await unknown(run);
    if (events !== expectedSeq)
      fail('run/locked', `Run ${run} has ${events} events, not ${expectedSeq}. Read it again.`);
    if (summary !== undefined && summary.outcome === undefined && (await placedOf(client, run, at)) !== 'none')
      fail('run/locked', `Restate works on run ${run} already.`); // OUT-2
    const recorded: RunEvent[] = [];
    if (expectedSeq > 0) for await (const event of readRun(reading, run, 0)) recorded.push(event);
    return leaseOf(run, new Batcher(run, recorded), epoch, mine);
  };

  const leaseOf = (run: RunId, batcher: Batcher, epoch: number, mine: { isTaken: boolean }): RunLease => {
    let isReleased = false;
    const isNew = batcher.next === 0;
    return {
      async append(events) {
        if (isReleased) fail('run/locked', `Run ${run} was released. Claim it again before writing to it.`);
        if (mine.isTaken) takenOver(run);
        checkOrder(run, events, batcher.next);
        for (const batch of batcher.batches(events)) {
          const body = batchText({ ...batch, head: { ...batch.head, epoch } });
          if ((await client.text([RUN, run, 'append'], body, { once: true })) !== 'written') takenOver(run); // OUT-1
        }
      },
      async release() {
        isReleased = true;
        if (isNew) fresh.add(run);
        if (held.get(run) === mine) held.delete(run);
      },
    };
  };

  return {
    isHeld: (run: RunId): boolean => held.has(run),
    /** True if this process wrote the beginning of the run, and did not ask before: then nothing works on it. */
    isFresh: (run: RunId): boolean => fresh.delete(run),
    async claim(run: RunId, expectedSeq: number): Promise<RunLease> {
      if (held.has(run)) fail('run/locked', `Run ${run} is being written by this process already. Wait for it to end.`);
      const mine: { isTaken: boolean } = { isTaken: false };
      held.set(run, mine);
      try {
        return await begin(run, expectedSeq, mine);
      } catch (thrown) {
        held.delete(run);
        throw thrown;
      }
    },
    async takeOver(run: RunId): Promise<void> {
      const head = await client.text([RUN, run, 'head'], '', { answerMs: FENCED_BY_MS }); // OUT-3
      if ((JSON.parse(head) as RunHead).summary === undefined) await unknown(run);
      for (const { id } of await invocationsOf(client, run))
        await client.admin(`/invocations/${id}/kill`, { method: 'PATCH' });
      await client.text([RUN, run, 'fence'], '', { once: true }); // it waits until nothing works on the run
      const mine = held.get(run);
      if (mine !== undefined) mine.isTaken = true;
      held.delete(run);
      fresh.delete(run);
    },
  };
}

const takenOver = (run: RunId): never =>
  fail('run/taken-over', `Run ${run} was taken over. It is not written to any more.`);
