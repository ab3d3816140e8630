// The invocation that works on a run. Its steps are the batches of the run's journal, so that Restate's record of it and
// ours are the same bytes, and an attempt elsewhere goes on from the last of them.
// LOOP-1. The steps are these and no others: the cells are read, and written if the run begins with this invocation; `at`
//         is set; then batches, each a closure and its cells. What agents do has no influence on them.
// LOOP-2. A closure lasts a beat at most. So a model call may last for hours, and a worker that hangs is given up.
// LOOP-3. One thing is awaited at a time.

import type { ObjectContext, ObjectSharedContext, RestatePromise } from '@restatedev/restate-sdk';
import { type FaultCode, faultOf } from '../../kernel/fault.ts';
import { readBatch } from '../../stores/restate/wire.ts';
import type { RunAttempts, RunDriver } from './attempt.ts';
import { NO_LAST_ATTEMPT, PLAIN, signalName, writeBatch } from './cells.ts';
import type { Sdk } from './sdk.ts';

const MINUTE_MS = 60_000;

export const workOptions = {
  input: PLAIN,
  output: PLAIN,
  enableLazyState: true,
  explicitCancellation: true,
  onJournalMismatchErrors: 'pause' as const,
  inactivityTimeout: MINUTE_MS,
  abortTimeout: MINUTE_MS,
  idempotencyRetention: 60 * MINUTE_MS,
  journalRetention: 0,
  retryPolicy: { ...NO_LAST_ATTEMPT, initialInterval: 100, exponentiationFactor: 2, maxInterval: 5000 },
};

export type ReadCells = (
  ctx: ObjectSharedContext,
  names: readonly string[],
) => RestatePromise<readonly (string | null)[]>;

/** `begun` is the first batch of a run that is submitted, else empty. */
export type WorkLoop = (
  ctx: ObjectContext,
  begun: string,
  cells: {
    readonly eventCells: (ctx: ObjectSharedContext) => Promise<readonly string[]>;
    readonly readCells: ReadCells;
  },
) => Promise<string>;

/**
 * A run with one of these faults is left without an end, for a person to look at. Any other is tried again: a text that
 * cannot be read now may be there soon, because a cell that is put while no worker runs waits in Restate.
 */
const FINAL: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'journal/divergence',
  'journal/version',
  'journal/write',
  'agent/invalid',
  'run/undone',
  'run/finished',
]);

type Happened =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'message' }
  | { readonly kind: 'cancel' };

export function workLoop(
  { RestatePromise: promises, TerminalError }: Sdk,
  attempts: RunAttempts,
  driver: RunDriver,
): WorkLoop {
  return async (ctx, begun, { eventCells, readCells }) => {
    const { id, attemptCompletedSignal } = ctx.request();
    const cells = (await readCells(ctx, await eventCells(ctx))).map((cell) => cell ?? '');
    const end = endIn(cells);
    if (end !== undefined) return end;
    if (begun !== '' && cells.length > 0) return ''; // there is a run of that name
    if (begun !== '') {
      const batch = readBatch(begun);
      writeBatch(ctx, batch);
      cells.push(batch.body);
    }
    ctx.set('at', id, PLAIN);

    const attempt = attempts.open(ctx.key, driver, attemptCompletedSignal);
    for (const cell of cells) attempt.record(cell);
    const next = (): RestatePromise<Happened> =>
      ctx
        .run('events', () => attempt.next().catch(asFinal), { serde: PLAIN })
        .map((text) => ({ kind: 'written', text: text ?? '' }));
    const messageOf = (n: number): RestatePromise<Happened> =>
      ctx.signal<string>(signalName(n), PLAIN).map(() => ({ kind: 'message' }));
    const cancelOf = (): RestatePromise<Happened> =>
      (ctx as unknown as { cancellation(): RestatePromise<void> }).cancellation().map(() => ({ kind: 'cancel' }));

    let [written, messages, message, cancelled] = [next(), 1, messageOf(1), cancelOf()];
    for (;;) {
      const happened = await promises.race([written, message, cancelled]); // LOOP-3
      if (happened.kind === 'message') {
        attempt.told();
        message = messageOf(++messages);
        continue;
      }
      if (happened.kind === 'cancel') {
        attempt.cancel();
        cancelled = cancelOf();
        continue;
      }
      if (happened.kind === 'written' && happened.text !== '') {
        const batch = readBatch(happened.text);
        writeBatch(ctx, batch);
        if (attempt.isAtWork) attempt.kept();
        else attempt.record(batch.body);
        if (batch.head.ended === true) return lastOf(batch.body);
      }
      written = next();
    }
  };

  function asFinal(thrown: unknown): never {
    const { code, message } = faultOf(thrown);
    if (FINAL.has(code)) throw new TerminalError(`${code}: ${message}`);
    throw thrown;
  }
}

/** The last event of a cell, as a cell of its own. */
function lastOf(cell: string): string {
  return `${cell.slice(0, cell.indexOf('\n'))}\n${cell.slice(cell.lastIndexOf('\n') + 1)}`;
}

/**
 * Finds the end by the type of an event, and not by a search in the text: an argument of a tool call may look like one.
 */
function endIn(cells: readonly string[]): string | undefined {
  for (const cell of cells.toReversed()) {
    const last = lastOf(cell);
    const { type } = JSON.parse(last.slice(last.indexOf('\n') + 1)) as { readonly type: string };
    if (type === 'run-end') return last;
    if (type !== 'undo') return undefined;
  }
  return undefined;
}
