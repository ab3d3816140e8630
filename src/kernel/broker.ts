// A channel: an append-only transcript, and a cursor for each participant. Everyone gets what others said, once, in
// the transcript's order, and no one gets their own messages.

import type { Broadcast, TeamMessage } from './effect.ts';

export interface Broker {
  publish(saying: TeamMessage, timestamp: number): Broadcast;
  /** Returns the broadcasts of others since this participant last asked, and moves its cursor. */
  consume(participant: string): Unread;
  /** Returns the broadcast that `publish` would append, and appends nothing. */
  draft(saying: TeamMessage, timestamp: number): Broadcast;
  /** Returns the same as `consume`, and leaves the cursor where it is. */
  unread(participant: string): Unread;
  /** Calls the listener for every broadcast from now on. Returns a function that ends this. */
  subscribe(listener: (broadcast: Broadcast) => void): () => void;
  transcript(): readonly Broadcast[];
  /** Puts a broadcast in its place. */
  add(broadcast: Broadcast): void;
  advance(participant: string, upTo: number): void;
}

interface Unread {
  readonly broadcasts: readonly Broadcast[];
  readonly upTo: number;
}

export function openBroker(): Broker {
  const transcript: Broadcast[] = [];
  const cursors = new Map<string, number>();
  const listeners = new Set<(broadcast: Broadcast) => void>();
  const broker: Broker = {
    publish(saying, timestamp) {
      const broadcast = broker.draft(saying, timestamp);
      broker.add(broadcast);
      return broadcast;
    },
    consume(participant) {
      const unread = broker.unread(participant);
      broker.advance(participant, unread.upTo);
      return unread;
    },
    draft: (saying, timestamp) => ({ number: transcript.length + 1, ...saying, timestamp }),
    unread(participant) {
      const said = transcript.slice(cursors.get(participant) ?? 0);
      return { broadcasts: said.filter(({ memberId }) => memberId !== participant), upTo: transcript.length };
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    transcript: () => [...transcript],
    add(broadcast) {
      transcript[broadcast.number - 1] = broadcast;
      for (const listener of listeners) listener(broadcast);
    },
    advance(participant, upTo) {
      cursors.set(participant, Math.max(cursors.get(participant) ?? 0, upTo));
    },
  };
  return broker;
}
