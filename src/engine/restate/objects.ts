// The objects of a store in Restate, as a worker serves them: see journal/stores/restate/wire.ts for their cells.
// A handler is run again from the beginning after a crash, on what Restate kept of its steps. So every handler here asks
// for the same steps in the same order whatever happens, and whichever release of Cadre it is.

import type { ObjectContext, ObjectSharedContext, VirtualObjectDefinition } from '@restatedev/restate-sdk';
import type { KeptTests } from '../../journal/store.ts';
import type { PartHead, RunHead } from '../../journal/stores/restate/events.ts';
import type { LivePieces, WatchRequest } from '../../journal/stores/restate/live.ts';
import type { TestCell } from '../../journal/stores/restate/tests.ts';
import {
  BLOB,
  CONTROL,
  isEventsCell,
  KEY,
  LIVE,
  RUN,
  readBatch,
  seqOfCell,
  TESTS,
  WATCHED,
} from '../../journal/stores/restate/wire.ts';
import { NO_LAST_ATTEMPT, PLAIN, signalName, writeBatch } from './cells.ts';
import type { Sdk } from './sdk.ts';
import { type ReadCells, type WorkLoop, workOptions } from './work-loop.ts';

type AnyObject = VirtualObjectDefinition<string, unknown>;

/** Bytes as they are. */
const BYTES = {
  contentType: 'application/octet-stream',
  serialize: (bytes: Uint8Array): Uint8Array => bytes,
  deserialize: (bytes: Uint8Array): Uint8Array => bytes,
};

const MINUTE_MS = 60_000;
/**
 * They take milliseconds. A connection to a worker that is gone may stay open, and an object does one thing at a time: all
 * messages to a run would wait for ten minutes, which is how long Restate waits by itself.
 */
const GIVEN_UP = { inactivityTimeout: 5000, abortTimeout: 5000 };
/** Of what changes something: a client that repeats a request gets the same answer for so long. */
const SHORT = { input: PLAIN, output: PLAIN, idempotencyRetention: 10 * MINUTE_MS, journalRetention: 0, ...GIVEN_UP };
const READ = { input: PLAIN, output: PLAIN, journalRetention: 0, ...GIVEN_UP };
/** A short handler is tried again soon. */
const QUICK_RETRY = { ...NO_LAST_ATTEMPT, initialInterval: 50, exponentiationFactor: 2, maxInterval: 1000 };

/** So much of a run is read with one request. */
const PART_BYTES = 4 * 1_048_576;
const PART_CELLS = 256;

export function runObject({ handlers, object, RestatePromise }: Sdk, work: WorkLoop): AnyObject {
  const { exclusive, shared } = handlers.object;
  const cell = (ctx: ObjectSharedContext, name: string) => ctx.get<string>(name, PLAIN as never);
  const readCells: ReadCells = (ctx, names) => RestatePromise.all(names.map((name) => cell(ctx, name) as never));
  const eventCells = async (ctx: ObjectSharedContext): Promise<readonly string[]> =>
    (await ctx.stateKeys()).filter(isEventsCell).sort((one, other) => seqOfCell(one) - seqOfCell(other));

  return object({
    name: RUN,
    options: { enableLazyState: true, retryPolicy: QUICK_RETRY },
    handlers: {
      work: exclusive(workOptions, (ctx, begun) => work(ctx, begun, { eventCells, readCells })),
      /** Of a writer outside: see lease.ts. */
      append: exclusive(SHORT, async (ctx, text) => {
        const batch = readBatch(text);
        const [summary, epoch] = [await cell(ctx, 's'), await cell(ctx, 'epoch')];
        const events = summary === null ? 0 : (JSON.parse(summary) as { readonly events: number }).events;
        if (events !== batch.head.from || Number(epoch ?? 0) !== batch.head.epoch) return 'refused';
        writeBatch(ctx, batch);
        return 'written';
      }),
      fence: exclusive(SHORT, async (ctx) => {
        ctx.set('epoch', String(Number((await cell(ctx, 'epoch')) ?? 0) + 1), PLAIN);
        return '';
      }),
      forget: exclusive(SHORT, async (ctx) => {
        ctx.clearAll();
        return '';
      }),
      head: shared(READ, async (ctx) => {
        const [summary = null, at = null, epoch = null] = await readCells(ctx, ['s', 'at', 'epoch']);
        const known = summary === null ? '' : `"summary":${summary},`;
        const rest: RunHead = { ...(at !== null && { at }), epoch: Number(epoch ?? 0) };
        return `{${known}${JSON.stringify(rest).slice(1)}`;
      }),
      read: shared(READ, async (ctx, from) => {
        const all = await eventCells(ctx);
        const first = Math.max(
          0,
          all.findLastIndex((name) => seqOfCell(name) <= Number(from)),
        );
        const names = all.slice(first, first + PART_CELLS);
        const texts: string[] = [];
        let bytes = 0;
        for (let place = 0; place < names.length && bytes < PART_BYTES; place += 16) {
          const cells = (await readCells(ctx, names.slice(place, place + 16))).map((text) => text ?? '');
          texts.push(...cells);
          bytes += cells.reduce((sum, { length }) => sum + length, 0);
        }
        const next = all[first + texts.length];
        const head: PartHead = {
          isKnown: all.length > 0,
          lengths: texts.map(({ length }) => length),
          ...(next !== undefined && { next: seqOfCell(next) }),
        };
        return `${JSON.stringify(head)}\n${texts.join('')}`;
      }),
    },
  }) as AnyObject;
}

interface Posted {
  readonly id: string;
  readonly text: string;
  readonly isTaken?: true;
}

const headFrom = (ctx: ObjectContext): Promise<string> =>
  ctx.genericCall<string, string>({
    service: RUN,
    method: 'head',
    key: ctx.key,
    parameter: '',
    inputSerde: PLAIN,
    outputSerde: PLAIN,
  });

/** The messages to a run, each in a cell `m<n>`; in `at` the invocation that was signalled last, and how often. */
export function controlObject({ handlers, object }: Sdk): AnyObject {
  const { exclusive, shared } = handlers.object;
  const isMessage = (name: string): boolean => name.startsWith('m');
  const all = async (ctx: ObjectSharedContext): Promise<ReadonlyMap<string, Posted>> => {
    const found = new Map<string, Posted>();
    for (const name of (await ctx.stateKeys()).filter(isMessage).sort())
      found.set(name, (await ctx.get<Posted>(name)) as Posted);
    return found;
  };
  /** An invocation that begins after this looks at the messages itself: it names itself in the run before that. */
  const signal = async (ctx: ObjectContext): Promise<void> => {
    const { at } = JSON.parse(await headFrom(ctx)) as RunHead;
    if (at === undefined) return;
    const last = await ctx.get<{ readonly invocation: string; readonly signals: number }>('at');
    const signals = last?.invocation === at ? last.signals + 1 : 1;
    ctx.set('at', { invocation: at, signals });
    ctx
      .invocation(at as never)
      .signal(signalName(signals), PLAIN)
      .resolve('');
  };
  const listed = (found: ReadonlyMap<string, Posted>): string =>
    JSON.stringify([...found.values()].map(({ id, text }) => [id, text]));
  return object({
    name: CONTROL,
    options: { retryPolicy: QUICK_RETRY },
    handlers: {
      post: exclusive(SHORT, async (ctx, body) => {
        const [id, text] = JSON.parse(body) as readonly [string, string];
        const found = await all(ctx);
        if ([...found.values()].some((one) => one.id === id)) return '';
        const n = ((await ctx.get<number>('n')) ?? 0) + 1;
        ctx.set('n', n);
        ctx.set(`m${String(n).padStart(9, '0')}`, { id, text } satisfies Posted);
        await signal(ctx);
        return '';
      }),
      pending: exclusive(SHORT, async (ctx) => {
        const found = await all(ctx);
        for (const [name, one] of found) if (one.isTaken === undefined) ctx.set(name, { ...one, isTaken: true });
        return listed(found);
      }),
      posted: shared(READ, async (ctx) => listed(await all(ctx))),
      withdraw: exclusive(SHORT, async (ctx, id) => {
        for (const [name, one] of await all(ctx)) {
          if (one.id !== id || one.isTaken !== undefined) continue;
          ctx.clear(name);
          return 'withdrawn';
        }
        return 'taken';
      }),
      remove: exclusive(SHORT, async (ctx, body) => {
        const ids = JSON.parse(body) as readonly string[];
        for (const [name, { id }] of await all(ctx)) if (ids.includes(id)) ctx.clear(name);
        return '';
      }),
      forget: exclusive(SHORT, async (ctx) => {
        ctx.clearAll();
        return '';
      }),
    },
  }) as AnyObject;
}

/** A blob: its bytes, and when it was last put. */
export function blobObject({ handlers, object }: Sdk): AnyObject {
  const { exclusive, shared } = handlers.object;
  return object({
    name: BLOB,
    options: { enableLazyState: true, retryPolicy: QUICK_RETRY },
    handlers: {
      put: exclusive({ ...SHORT, input: BYTES }, async (ctx, bytes) => {
        const at = await ctx.date.now();
        if ((await ctx.get('kept')) === null) ctx.set('bytes', bytes, BYTES);
        ctx.set('kept', { at, bytes: bytes.length });
        return '';
      }),
      /** The first byte says whether there is one: an empty blob is one too. */
      get: shared({ ...READ, output: BYTES }, async (ctx) => {
        if ((await ctx.get('kept')) === null) return Uint8Array.of(0);
        const bytes = (await ctx.get<Uint8Array>('bytes', BYTES as never)) ?? new Uint8Array();
        return Buffer.concat([Uint8Array.of(1), bytes]);
      }),
      forget: exclusive(SHORT, async (ctx, before) => {
        const kept = await ctx.get<{ readonly at: number }>('kept');
        if (kept !== null && kept.at < Number(before)) ctx.clearAll();
        return '';
      }),
    },
  }) as AnyObject;
}

/** A key and the value that it was tied to first. */
export function keyObject({ handlers, object }: Sdk): AnyObject {
  const { exclusive } = handlers.object;
  return object({
    name: KEY,
    options: { retryPolicy: QUICK_RETRY },
    handlers: {
      tie: exclusive(SHORT, async (ctx, value) => {
        const known = await ctx.get<{ readonly value: string }>('tied');
        if (known !== null) return known.value;
        ctx.set('tied', { value, at: await ctx.date.now() });
        return value;
      }),
      forget: exclusive(SHORT, async (ctx, before) => {
        const known = await ctx.get<{ readonly at: number }>('tied');
        if (known !== null && known.at < Number(before)) ctx.clearAll();
        return '';
      }),
    },
  }) as AnyObject;
}

/** A result of tests: what a list shows of it with the time of the last write, and the rest. */
export function testsObject({ handlers, object }: Sdk): AnyObject {
  const { exclusive, shared } = handlers.object;
  return object({
    name: TESTS,
    options: { enableLazyState: true, retryPolicy: QUICK_RETRY },
    handlers: {
      put: exclusive(SHORT, async (ctx, text) => {
        const { head, body } = JSON.parse(text) as KeptTests;
        ctx.set('head', { at: await ctx.date.now(), head } satisfies TestCell);
        ctx.set('body', body, PLAIN);
        return '';
      }),
      /** Empty where there is none. */
      get: shared(READ, async (ctx) => {
        const head = await ctx.get<TestCell>('head');
        const body = await ctx.get<string>('body', PLAIN as never);
        return head === null ? '' : JSON.stringify({ ...head, body: body ?? '' });
      }),
      forget: exclusive(SHORT, async (ctx) => {
        ctx.clearAll();
        return '';
      }),
    },
  }) as AnyObject;
}

/** So many pieces of a run wait for those who watch it. */
const MOST_PIECES = 32;

/** What a run shows between two events, while somebody watches it: its last pieces, and the number of the last one. */
export function liveObject({ handlers, object }: Sdk): AnyObject {
  const { exclusive, shared } = handlers.object;
  const kept = async (ctx: ObjectSharedContext): Promise<LivePieces> =>
    (await ctx.get<LivePieces>('live')) ?? { last: 0, texts: [] };
  return object({
    name: LIVE,
    options: { retryPolicy: QUICK_RETRY },
    handlers: {
      put: exclusive(SHORT, async (ctx, text) => {
        const { last, texts } = await kept(ctx);
        const put = JSON.parse(text) as readonly string[];
        ctx.set('live', { last: last + put.length, texts: [...texts, ...put].slice(-MOST_PIECES) });
        return '';
      }),
      /** Without a number: that of the last piece alone. */
      after: shared(READ, async (ctx, number) => {
        const { last, texts } = await kept(ctx);
        const from = number === '' ? last : Number(number);
        return JSON.stringify({ last, texts: texts.slice(Math.max(0, texts.length - (last - from))) });
      }),
      forget: exclusive(SHORT, async (ctx) => {
        ctx.clearAll();
        return '';
      }),
    },
  }) as AnyObject;
}

/** Which runs somebody watches, and until when that counts. The clock is the caller's, who goes by that of the server. */
export function watchedObject({ handlers, object }: Sdk): AnyObject {
  const { exclusive, shared } = handlers.object;
  const watchedAt = async (ctx: ObjectSharedContext, now: number): Promise<Watches> =>
    Object.fromEntries(Object.entries((await ctx.get<Watches>('until')) ?? {}).filter(([, until]) => until > now));
  return object({
    name: WATCHED,
    options: { retryPolicy: QUICK_RETRY },
    handlers: {
      watch: exclusive(SHORT, async (ctx, text) => {
        const { runs, now, until } = JSON.parse(text) as WatchRequest;
        const watched = await watchedAt(ctx, now);
        ctx.set('until', { ...watched, ...Object.fromEntries(runs.map((run) => [run, until])) });
        return '';
      }),
      runs: shared(READ, async (ctx, now) => JSON.stringify(Object.keys(await watchedAt(ctx, Number(now))))),
      forget: exclusive(SHORT, async (ctx) => {
        ctx.clearAll();
        return '';
      }),
    },
  }) as AnyObject;
}

type Watches = Readonly<Record<string, number>>;
