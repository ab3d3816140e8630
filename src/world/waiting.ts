// Shows that an op waits for something before it can go on: a slot, a provider, tool sources that open. Those who watch
// the run see it. It is never stored, because a replay waits for nothing.

import type { LiveEvent, Show } from './world.ts';

/** The same promise, shown as a wait of the op until it settles. */
export async function shownWaiting<Value>(
  show: Show | undefined,
  waiting: Omit<Extract<LiveEvent, { type: 'waiting' }>, 'type'>,
  work: Promise<Value>,
): Promise<Value> {
  show?.({ type: 'waiting', ...waiting });
  try {
    return await work;
  } finally {
    show?.({ type: 'waited', path: waiting.path });
  }
}
