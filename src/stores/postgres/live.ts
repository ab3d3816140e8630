// The live events of runs, as notifications: nothing of them is kept, and nothing is sent while nobody watches.

import type { RunId } from '../../journal/event.ts';
import type { LiveExchange } from '../../journal/store.ts';
import type { Connections } from './connections.ts';

/** Watchers say that they watch this often, and those who send forget it after some three times of that. */
const ANNOUNCE_MS = 5000;

/** Each sending is a commit. */
const GATHER_MS = 100;

/** A notification has at most 8000 bytes; the id of a run is a part of it. */
const MAX_BYTES = 7800;

export function postgresLive({ session, lookout }: Connections): LiveExchange {
  const watched = new Map<RunId, Set<(text: string) => void>>();
  let timer: NodeJS.Timeout | undefined;
  const announce = (runs: Iterable<RunId>): void => {
    const words = [...runs].map((run) => `watches ${run}`);
    lookout.tell(words).catch(() => {}); // it is said again, and live text is not promised
  };
  const heard = (payload: string): void => {
    const end = payload.indexOf(' ');
    for (const told of watched.get(payload.slice(0, end)) ?? []) told(payload.slice(end + 1));
  };
  return {
    gatherMs: GATHER_MS,
    maxBytes: MAX_BYTES,
    async send(run, texts) {
      await lookout.tell(
        texts.map((text) => `${run} ${text}`),
        'live',
      );
    },
    watch(run, told) {
      session.listen('live', heard);
      const all = watched.get(run) ?? new Set();
      watched.set(run, all.add(told));
      announce([run]);
      timer ??= setInterval(() => announce(watched.keys()), ANNOUNCE_MS).unref();
      return () => {
        all.delete(told);
        if (all.size > 0 || watched.get(run) !== all) return;
        watched.delete(run);
        if (watched.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    onWatched: (told) => lookout.on('watches', told),
  };
}
