// The stream of what changes anywhere on the server. None of its events can be asked for again. From its first `now` on
// it tells all that changes, so whoever listens reads its list again then: after the page was opened, and after each
// reconnect.

import type { ServerStreamEvents } from '../../../src/server/protocol.ts';
import { heard } from './clock.ts';
import { Stream } from './connection.ts';

type Kind = keyof ServerStreamEvents;

interface Ear {
  /** Reads what the stream does not repeat: when somebody begins to listen, and when a connection begins to tell. */
  readonly refresh: () => void;
  readonly on: { readonly [K in Kind]?: (event: ServerStreamEvents[K]) => void };
}

const ears = new Set<Ear>();

export function listen(ear: Ear): () => void {
  ears.add(ear);
  ear.refresh();
  return () => ears.delete(ear);
}

let isTelling = false;

export function startServerStream(): void {
  new Stream('/api/stream', {
    connected: () => {
      isTelling = false;
    },
    heard: (events) => {
      for (const { event: type, data } of events) tell(type as Kind, JSON.parse(data) as ServerStreamEvents[Kind]);
      return undefined;
    },
  });
}

function tell<K extends Kind>(kind: K, event: ServerStreamEvents[K]): void {
  if (kind === 'now') {
    heard((event as ServerStreamEvents['now']).now);
    if (!isTelling) for (const ear of ears) ear.refresh();
    isTelling = true;
  }
  for (const ear of ears) ear.on[kind]?.(event);
}
