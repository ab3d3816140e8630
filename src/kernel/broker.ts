// A channel: an append-only transcript, and a cursor for each participant. Everyone gets what others said, once, in
// the transcript's order, and nobody gets what they said themselves.

import type { Broadcast, Saying } from './effect.ts';

export interface Broker {
  publish(saying: Saying, timestamp: number): Broadcast;
  /** What others said since this participant last asked, and how far that went. */
  consume(participant: string): { readonly broadcasts: readonly Broadcast[]; readonly upTo: number };
  /** Told of every broadcast from now on. Gives back the way to end that. */
  subscribe(listener: (broadcast: Broadcast) => void): () => void;
  transcript(): readonly Broadcast[];
  /** Puts back what a record holds. */
  restore(broadcast: Broadcast): void;
  advance(participant: string, upTo: number): void;
}

export function openBroker(): Broker {
  const transcript: Broadcast[] = [];
  const cursors = new Map<string, number>();
  const listeners = new Set<(broadcast: Broadcast) => void>();
  return {
    publish(saying, timestamp) {
      const broadcast: Broadcast = { number: transcript.length + 1, ...saying, timestamp };
      transcript.push(broadcast);
      for (const listener of listeners) listener(broadcast);
      return broadcast;
    },
    consume(participant) {
      const from = cursors.get(participant) ?? 0;
      const upTo = transcript.length;
      cursors.set(participant, upTo);
      return { broadcasts: transcript.slice(from).filter(({ memberId }) => memberId !== participant), upTo };
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    transcript: () => [...transcript],
    restore(broadcast) {
      transcript[broadcast.number - 1] = broadcast;
    },
    advance(participant, upTo) {
      cursors.set(participant, Math.max(cursors.get(participant) ?? 0, upTo));
    },
  };
}
