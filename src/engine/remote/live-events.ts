// Live events of a run between processes: sent by the one that works on it while somebody elsewhere watches. They are
// gathered for a moment and joined, because each sending costs the store something. Losing some is no fault.

import { readJson } from '../../base/text/json.ts';
import { PushQueue } from '../../base/text/push-queue.ts';
import type { RunId } from '../../journal/event.ts';
import type { LiveExchange, RunStore } from '../../journal/store.ts';
import type { Bus } from '../../run/bus.ts';
import type { LiveEvent } from '../../world/world.ts';

/** Watchers announce themselves every 5 seconds. */
const WATCHED_MS = 15_000;
/** The characters of one text: escaped as JSON, it takes at most six times as many bytes. */
const MOST_CHARACTERS = 1200;

/** Sends what the runs of this process show, while somebody watches them. */
export function sendLive(live: LiveExchange, busOf: (run: RunId) => Bus | undefined): () => void {
  const sending = new Map<RunId, { until: number; stop(): void }>();
  const leave = live.onWatched((run) => {
    const known = sending.get(run);
    const until = Date.now() + WATCHED_MS;
    if (known !== undefined) {
      known.until = until;
      return;
    }
    const bus = busOf(run);
    if (bus === undefined) return;
    const one = { until, stop: () => {} };
    sending.set(run, one);
    const end = (): void => {
      unwatch();
      sending.delete(run);
      gathered.end();
    };
    const gathered = gather(run, live, () => {
      if (Date.now() > one.until) end();
    });
    const unwatch = bus.watch({
      live: gathered.add,
      event({ type }) {
        if (type === 'run-end') end();
      },
    });
    one.stop = end;
  });
  return () => {
    leave();
    for (const { stop } of sending.values()) stop();
  };
}

function gather(run: RunId, live: LiveExchange, sent: () => void) {
  let gathered: LiveEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  const send = (): void => {
    timer = undefined;
    const texts = packEvents(gathered, live.maxBytes);
    gathered = [];
    last = last.then(() => live.send(run, texts)).catch(() => {}); // the record has it in the end
    sent();
  };
  return {
    add(event: LiveEvent): void {
      const before = gathered.at(-1);
      const joined = before === undefined ? undefined : joinedTo(before, event);
      if (joined === undefined) gathered.push(event);
      else gathered[gathered.length - 1] = joined;
      timer ??= setTimeout(send, live.gatherMs).unref();
    },
    /** Nothing more is sent. */
    end(): void {
      clearTimeout(timer);
      last.then(() => live.ended?.(run)).catch(() => {}); // what is left goes with the run
    },
  };
}

/** Two pieces of one text are one piece. */
function joinedTo(before: LiveEvent, event: LiveEvent): LiveEvent | undefined {
  if (before.type !== event.type || before.path !== event.path) return undefined;
  if (event.type === 'progress') return event; // it replaces the one before
  if (!('text' in event) || !('text' in before)) return undefined;
  if (event.type === 'call' && before.type === 'call' && event.name !== before.name) return undefined;
  return { ...event, text: before.text + event.text };
}

/** Lists of events as JSON, each short enough to be sent. */
function packEvents(events: readonly LiveEvent[], maxBytes: number): readonly string[] {
  const texts: string[] = [];
  let line = '';
  for (const event of events.flatMap(pieces)) {
    const next = JSON.stringify(event);
    if (line !== '' && Buffer.byteLength(line) + Buffer.byteLength(next) + 3 > maxBytes) {
      texts.push(`[${line}]`);
      line = '';
    }
    line = line === '' ? next : `${line},${next}`;
  }
  return line === '' ? texts : [...texts, `[${line}]`];
}

function pieces(event: LiveEvent): readonly LiveEvent[] {
  if (!('text' in event) || event.text.length <= MOST_CHARACTERS) return [event];
  if (event.type === 'progress') return [{ ...event, text: event.text.slice(-MOST_CHARACTERS) }];
  const found: LiveEvent[] = [];
  for (let from = 0; from < event.text.length; from += MOST_CHARACTERS)
    found.push({ ...event, text: event.text.slice(from, from + MOST_CHARACTERS) });
  return found;
}

/**
 * Hears the live events that another process sends about a run, until the returned function is called. A message that
 * is not a list is left out.
 */
export const watchLive = (live: LiveExchange, run: RunId, told: (event: LiveEvent) => void): (() => void) =>
  live.watch(run, (text) => {
    const parsed = readJson(text);
    if (parsed.ok && Array.isArray(parsed.value)) for (const event of parsed.value as LiveEvent[]) told(event);
  });

/** The live events of a run that another process works on, until it ends. None where the store cannot carry them. */
export async function* liveElsewhere(run: RunId, store: RunStore): AsyncGenerator<LiveEvent> {
  const { live } = store.fleet ?? {};
  if (live === undefined) return;
  const coming = new PushQueue<LiveEvent>();
  const leave = new AbortController();
  const unwatch = watchLive(live, run, (event) => coming.push(event));
  const ended = (async () => {
    const { events } = await store.summary(run);
    for await (const _ of store.follow(run, events, leave.signal)) void _;
  })().finally(() => coming.end());
  ended.catch(() => {}); // it is thrown below
  try {
    yield* coming;
    await ended;
  } finally {
    unwatch();
    leave.abort();
  }
}
