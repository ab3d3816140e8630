// The objects of a store in Restate, as a worker serves them: see stores/restate/wire.ts for their cells.
// A handler is run again from the beginning after a crash, on what Restate kept of its steps. So every handler here asks
// for the same steps in the same order whatever happens, and whichever release of Cadre it is.

import type { ObjectContext, ObjectSharedContext, VirtualObjectDefinition } from '@restatedev/restate-sdk';
import type { CellCondition } from '../../journal/cells.ts';
import { type CellAnswer, type CellState, type ListedCell, readPut, runOfObject } from '../../stores/restate/cells.ts';
import type { PartHead, RunHead } from '../../stores/restate/events.ts';
import type { LivePieces, WatchRequest } from '../../stores/restate/live.ts';
import { CELLS, isEventsCell, LIVE, RUN, readBatch, seqOfCell, WATCHED_RUNS } from '../../stores/restate/wire.ts';
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
/** A handler that changes something: a client that repeats a request gets the same answer for so long. */
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
      /** Appends for a writer outside: see lease.ts. */
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

const headFrom = (ctx: ObjectContext, run: string): Promise<string> =>
  ctx.genericCall<string, string>({
    service: RUN,
    method: 'head',
    key: run,
    parameter: '',
    inputSerde: PLAIN,
    outputSerde: PLAIN,
  });

/**
 * The cells of one first part of a key: of each its state in `i<rest>` and its body in `b<rest>`. In `at` stands the invocation
 * that was signalled last, and how often.
 */
export function cellsObject({ handlers, object }: Sdk): AnyObject {
  const { exclusive, shared } = handlers.object;
  const stateOf = (ctx: ObjectSharedContext, rest: string) => ctx.get<CellState>(`i${rest}`);
  const bodyOf = async (ctx: ObjectSharedContext, rest: string): Promise<Uint8Array> =>
    (await ctx.get<Uint8Array>(`b${rest}`, BYTES as never)) ?? new Uint8Array();
  /** An invocation that begins after this looks at the messages itself: it names itself in the run before that. */
  const signal = async (ctx: ObjectContext): Promise<void> => {
    const { at } = JSON.parse(await headFrom(ctx, runOfObject(ctx.key))) as RunHead;
    if (at === undefined) return;
    const last = await ctx.get<{ readonly invocation: string; readonly signals: number }>('at');
    const signals = last?.invocation === at ? last.signals + 1 : 1;
    ctx.set('at', { invocation: at, signals });
    ctx
      .invocation(at as never)
      .signal(signalName(signals), PLAIN)
      .resolve('');
  };
  return object({
    name: CELLS,
    options: { enableLazyState: true, retryPolicy: QUICK_RETRY },
    handlers: {
      put: exclusive({ ...SHORT, input: BYTES }, async (ctx, bytes) => {
        const { put, body } = readPut(bytes);
        const at = await ctx.date.now();
        const standing = (await stateOf(ctx, put.rest)) ?? undefined;
        if (!isExpected(put.expected, standing))
          return JSON.stringify({ isPut: false, ...(standing && { standing }) } satisfies CellAnswer);
        const { version, head, rest } = put;
        ctx.set(`i${rest}`, { version, at, size: body.length, head } satisfies CellState);
        ctx.set(`b${rest}`, body, BYTES);
        if (put.wakes) await signal(ctx);
        return JSON.stringify({ isPut: true } satisfies CellAnswer);
      }),
      touch: exclusive(SHORT, async (ctx, text) => {
        const { rest, version = '' } = JSON.parse(text) as { readonly rest: string; readonly version?: string };
        const at = await ctx.date.now();
        const standing = await stateOf(ctx, rest);
        if (standing === null) return '';
        ctx.set(`i${rest}`, { ...standing, version, at });
        return 'touched';
      }),
      delete: exclusive(SHORT, async (ctx, text) => {
        const { rest, version } = JSON.parse(text) as { readonly rest: string; readonly version?: string };
        const standing = await stateOf(ctx, rest);
        if (standing === null || (version !== undefined && standing.version !== version)) return '';
        ctx.clear(`i${rest}`);
        ctx.clear(`b${rest}`);
        return 'deleted';
      }),
      /** Its state on a line, and its body. Nothing where there is none. */
      get: shared({ ...READ, output: BYTES }, async (ctx, rest) => {
        const standing = await stateOf(ctx, rest);
        if (standing === null) return new Uint8Array();
        return Buffer.concat([Buffer.from(`${JSON.stringify(standing)}\n`), await bodyOf(ctx, rest)]);
      }),
      list: shared(READ, async (ctx, part) => {
        const rests = (await ctx.stateKeys()).filter((name) => name.startsWith('i')).map((name) => name.slice(1));
        const found = rests.sort().map((rest) => async (): Promise<ListedCell> => {
          const standing = (await stateOf(ctx, rest)) as CellState;
          if (part !== 'bodies') return { rest, ...standing };
          return { rest, ...standing, body: Buffer.from(await bodyOf(ctx, rest)).toString('base64') };
        });
        return JSON.stringify(await inOrder(found));
      }),
      forget: exclusive(SHORT, async (ctx) => {
        ctx.clearAll();
        return '';
      }),
    },
  }) as AnyObject;
}

/** One after the other: a handler asks for the same steps in the same order. */
async function inOrder<Value>(steps: readonly (() => Promise<Value>)[]): Promise<readonly Value[]> {
  const values: Value[] = [];
  for (const step of steps) values.push(await step());
  return values;
}

function isExpected(expected: CellCondition, standing: CellState | undefined): boolean {
  if (typeof expected === 'object') return standing?.version === expected.version;
  return expected === 'any' || standing === undefined;
}

/** So many pieces of a run wait for those who watch it. */
const MOST_PIECES = 32;

/** The live pieces of a run, while somebody watches it: the last ones, and the number of the newest. */
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
      /** Without a number, it answers with that of the last piece alone. */
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

/**
 * The runs that somebody watches, and the time until which that counts. The clock is the caller's, who goes by that of
 * the server.
 */
export function watchedObject({ handlers, object }: Sdk): AnyObject {
  const { exclusive, shared } = handlers.object;
  const watchedAt = async (ctx: ObjectSharedContext, now: number) =>
    Object.fromEntries(
      Object.entries((await ctx.get<Readonly<Record<string, number>>>('until')) ?? {}).filter(
        ([, until]) => until > now,
      ),
    );
  return object({
    name: WATCHED_RUNS,
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
