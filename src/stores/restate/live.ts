// The live events of a run, carried through an object of its own: whoever works on the run puts it there, and whoever
// watches it looks. Restate tells nobody of anything, so both sides ask.
// LIVE-1. Nothing is put while nobody watches: those who watch say so again and again in one object for the whole
//     store, which a process with runs at work reads once a second.
// LIVE-2. Only the last pieces are kept, and none after the end of the run. A watcher that is late misses some, which
//     is no fault: the record has all of it in the end.

import type { RunId } from '../../journal/event.ts';
import type { LiveExchange } from '../../journal/store.ts';
import type { HandlerTarget, RestateClient } from './client.ts';
import { LIVE, WATCHED_KEY, WATCHED_RUNS } from './wire.ts';

/** Each sending is an invocation, so they are fewer than notifications of a database. */
const GATHER_MS = 250;
const MAX_BYTES = 16_384;
const ANNOUNCE_MS = 5000;
/** The pause between two questions of a process about those of its runs that are watched. */
const ASK_MS = 1000;
/** Soon after the last piece, then less often. */
const LOOK_MS: readonly number[] = [150, 150, 250, 250, 250, 500, 500, 1000];
const ANSWER_MS = 5000;

/** The answer of a run's object: the number of its last piece, and the pieces after the one that was asked for. */
export interface LivePieces {
  readonly last: number;
  readonly texts: readonly string[];
}

/** The request of one who watches. */
export interface WatchRequest {
  readonly runs: readonly RunId[];
  readonly now: number;
  readonly until: number;
}

export function restateLive(client: RestateClient): LiveExchange & { close(): void } {
  const watched = new Map<RunId, { readonly told: Set<(text: string) => void>; stop(): void }>();
  const asking = new Set<NodeJS.Timeout>();
  let announcing: NodeJS.Timeout | undefined;
  const announce = (runs: Iterable<RunId>): void => {
    const now = client.now();
    const asked: WatchRequest = { runs: [...runs], now, until: now + 3 * ANNOUNCE_MS };
    askedOf(client, [WATCHED_RUNS, WATCHED_KEY, 'watch'], JSON.stringify(asked)).catch(() => {}); // it is said again
  };
  const unwatch = (run: RunId): void => {
    watched.get(run)?.stop();
    watched.delete(run);
    if (watched.size > 0) return;
    clearInterval(announcing);
    announcing = undefined;
  };
  return {
    gatherMs: GATHER_MS,
    maxBytes: MAX_BYTES,
    async send(run, texts) {
      await client.text([LIVE, run, 'put'], JSON.stringify(texts), { answerMs: ANSWER_MS, mayFail: true });
    },
    async ended(run) {
      await client.text([LIVE, run, 'forget'], '', { answerMs: ANSWER_MS, mayFail: true });
    },
    watch(run, told) {
      let one = watched.get(run);
      if (one === undefined) {
        one = lookAt(client, run);
        watched.set(run, one);
        announce([run]);
        announcing ??= setInterval(() => announce(watched.keys()), ANNOUNCE_MS).unref();
      }
      one.told.add(told);
      const { told: all } = one;
      return () => {
        all.delete(told);
        if (all.size === 0 && watched.get(run)?.told === all) unwatch(run);
      };
    },
    onWatched(told) {
      const ask = async (): Promise<void> => {
        const text = await askedOf(client, [WATCHED_RUNS, WATCHED_KEY, 'runs'], String(client.now()));
        if (text !== undefined) for (const run of JSON.parse(text) as readonly RunId[]) told(run);
      };
      let isAsking = false;
      const timer = setInterval(() => {
        if (isAsking) return;
        isAsking = true;
        ask()
          .catch(() => {}) // it is asked again
          .finally(() => {
            isAsking = false;
          });
      }, ASK_MS).unref();
      asking.add(timer);
      return () => {
        clearInterval(timer);
        asking.delete(timer);
      };
    },
    close() {
      for (const run of watched.keys()) unwatch(run);
      for (const timer of asking) clearInterval(timer);
    },
  };
}

/** Undefined while no worker answers: each request would wait in Restate for one. */
const askedOf = (client: RestateClient, target: HandlerTarget, body: string): Promise<string | undefined> =>
  client.readOr<string | undefined>(
    (answerMs) => client.text(target, body, { answerMs, mayFail: true }),
    async () => undefined,
  );

/** A piece that was put before the first look is not told: it may be of an attempt that was given up. */
function lookAt(client: RestateClient, run: RunId) {
  const told = new Set<(text: string) => void>();
  let seen: number | undefined;
  let idle = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    const asked = seen === undefined ? '' : String(seen);
    const text = await askedOf(client, [LIVE, run, 'after'], asked);
    const { last, texts } = text === undefined ? { last: seen, texts: [] } : (JSON.parse(text) as LivePieces);
    idle = last === seen ? idle + 1 : 0;
    seen = last;
    if (!isStopped) for (const text of texts) for (const one of told) one(text);
  };
  const next = (): void => {
    if (isStopped) return;
    timer = setTimeout(go, LOOK_MS[Math.min(idle, LOOK_MS.length - 1)]).unref();
  };
  const go = (): void => {
    look()
      .catch(() => void idle++) // the next look may find it
      .finally(next);
  };
  go();
  return {
    told,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
