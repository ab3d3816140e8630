// The stream of what changes anywhere on the server. None of its events can be asked for again, so whoever listens reads
// its list anew after each reconnect.

import type { ServerStreamEvents } from '../../../src/server/protocol.ts';
import { heard } from './clock.ts';
import { link, Stream } from './connection.ts';

type Kind = keyof ServerStreamEvents;

interface Ear {
  /** Reads what the stream does not repeat: at the beginning, and after each reconnect. */
  readonly refresh: () => void;
  readonly on: { readonly [K in Kind]?: (event: ServerStreamEvents[K]) => void };
}

const ears = new Set<Ear>();

export function listen(ear: Ear): () => void {
  ears.add(ear);
  ear.refresh();
  return () => ears.delete(ear);
}

export function startServerStream(): void {
  new Stream('/api/stream', {
    heard: (events) => {
      for (const { type, data } of events) tell(type as Kind, JSON.parse(data) as ServerStreamEvents[Kind]);
      return undefined;
    },
  });
  let before = link.peek().state;
  link.subscribe(({ state }) => {
    if (state === 'live' && before === 'reconnecting') for (const ear of ears) ear.refresh();
    before = state;
  });
}

function tell<K extends Kind>(kind: K, event: ServerStreamEvents[K]): void {
  if (kind === 'now') heard((event as ServerStreamEvents['now']).now);
  for (const ear of ears) ear.on[kind]?.(event);
}
