// The written form of an invocation's steps: texts as they are, the cells of a batch, the names of signals.

import type { ObjectContext } from '@restatedev/restate-sdk';
import { type Batch, eventsCell, namesCell } from '../../stores/restate/wire.ts';

/** The limit of tries. Without it Restate gives up after some of them, and a worker that is away costs a try. */
export const NO_LAST_ATTEMPT = { maxAttempts: 1_000_000_000 };

/** Texts as they are, so that a step that is made again has the same bytes. */
export const PLAIN = {
  contentType: 'text/plain',
  serialize: (text: string): Uint8Array => Buffer.from(text),
  deserialize: (bytes: Uint8Array): string => Buffer.from(bytes).toString(),
};
export function writeBatch(ctx: ObjectContext, { head, summary, body }: Batch): void {
  const { from, named, asked } = head;
  ctx.set(eventsCell(from), body, PLAIN);
  if (named !== undefined) ctx.set(namesCell(from), JSON.stringify(named), PLAIN);
  if (asked !== undefined) ctx.set('q', asked, PLAIN);
  ctx.set('s', summary, PLAIN);
}

/** Signals have numbers, because one of a name is heard once. */
export const signalName = (n: number): string => `message-${n}`;
