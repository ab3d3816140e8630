// Cells in Restate: one object for each first part of a key in a space, which workers serve (src/engine/restate). A list over
// a whole space is one query. Where no worker is there, texts are read by a query, and a cell of a space that `waits` is left
// to Restate: it lies there as an invocation, and counts as put.
// RS-CELL-1. A put shows its state before its body, so a body of another size than its state says is one that is still coming.
// RS-CELL-2. A step that is larger than the messages of the server is repeated for ever, and the object does nothing else
//            meanwhile. It is ended, and whoever put is told.

import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  type Cell,
  type CellCondition,
  type Cells,
  checkKey,
  firstOfKey,
  NO_BYTES,
  type Space,
} from '../../journal/cells.ts';
import { fail } from '../../kernel/fault.ts';
import type { RestateClient } from './client.ts';
import { pauseAfter } from './readiness.ts';
import { openCalls, waitingInputs } from './state.ts';
import { CELLS, LESS_OR_ELSEWHERE, SMALLER_MESSAGES } from './wire.ts';

/** The description of a put before its body. */
interface CellPut {
  readonly rest: string;
  readonly version: string;
  readonly head: string;
  readonly expected: CellCondition;
  /** The invocation of the run that the object is about is woken. */
  readonly wakes?: true;
}

/** The state of a cell in its object, beside the body. */
export interface CellState {
  readonly version: string;
  readonly at: number;
  readonly size: number;
  readonly head: string;
}

/** A cell as an object lists it. The body is in base64. */
export interface ListedCell extends CellState {
  readonly rest: string;
  readonly body?: string;
}

/** The answer of an object to a put. */
export interface CellAnswer {
  readonly isPut: boolean;
  readonly standing?: CellState;
}

/** A name has no "~". */
const objectOf = ({ name }: Space, first: string): string => `${name}~${first}`;
const restOf = (key: string): string => key.slice(firstOfKey(key).length + 1);
const keyOf = (first: string, rest: string): string => (rest === '' ? first : `${first}/${rest}`);
export const runOfObject = (object: string): string => object.slice(object.indexOf('~') + 1);

const MOST_BYTES = 24 * 1_048_576;
/** No more than this is left to Restate where nobody answers: it would lie there twice if the answer was only late. */
const MOST_LEFT_BYTES = 1_048_576;
/** Bytes are named by what they are, and agent texts are read for every run. */
const CACHED_BYTES = 16 * 1_048_576;
/** A process that does not work on a run can only look. */
const LOOK_MS = 250;

const cellOf = (key: string, { version, at, size, head }: CellState, body: Uint8Array = NO_BYTES): Cell => ({
  key,
  version,
  putAt: at,
  size,
  head,
  body,
});

export function restateCells(client: RestateClient): Cells {
  const cache = bytesCache();
  const asked = (space: Space, key: string, handler: string, body: string | Uint8Array): Promise<string> =>
    client.text([CELLS, objectOf(space, firstOfKey(key)), handler], body, { once: true });

  const listedOf = async (space: Space, first: string, withBodies: boolean): Promise<readonly Cell[]> => {
    const target = [CELLS, objectOf(space, first), 'list'] as const;
    const read = async (answerMs: number): Promise<readonly Cell[]> => {
      const found = JSON.parse(await client.text(target, withBodies ? 'bodies' : '', { answerMs })) as ListedCell[];
      return found.map((one) =>
        cellOf(keyOf(first, one.rest), one, Uint8Array.from(Buffer.from(one.body ?? '', 'base64'))),
      );
    };
    return client.readOr(read, () => listedByQuery(client, space, first));
  };

  return {
    async get(space, key) {
      const known = space.holds === 'bytes' ? cache.get(key) : undefined;
      if (known !== undefined) return { ...known, body: Uint8Array.from(known.body) };
      const cell = await client.readOr(
        (answerMs) => wholeCell(client, space, key, answerMs),
        () => cellByQuery(client, space, key),
      );
      if (cell !== undefined && space.holds === 'bytes') cache.add(cell);
      return cell;
    },
    async putIf(space, key, { head, body }, expected) {
      checkKey(key);
      if (body.length > MOST_BYTES) tooLarge(space, key, body.length);
      const version = randomUUID();
      const put: CellPut = { rest: restOf(key), version, head, expected, ...(space.tells && { wakes: true }) };
      const target = [CELLS, objectOf(space, firstOfKey(key)), 'put'] as const;
      const work = async (answerMs?: number) => {
        const options = { once: true, ...(answerMs !== undefined && { answerMs }) } as const;
        const { isPut, standing } = JSON.parse(await client.text(target, putBytes(put, body), options)) as CellAnswer;
        return isPut ? { isPut, version } : { isPut, standing: standing && cellOf(key, standing) };
      };
      if (body.length > MOST_LEFT_BYTES) return orOversized(work(), client, { space, key, size: body.length });
      if (space.waits !== true || expected !== 'absent') return work();
      return client.readOr(work, async () => {
        const left: CellPut = space.holds === 'bytes' ? { ...put, expected: 'any' } : put; // else it is not as new as this
        await client.call([target[0], target[1], 'put/send'], putBytes(left, body), { once: true });
        return { isPut: true, version };
      });
    },
    async touch(space, key) {
      const body = JSON.stringify({ rest: restOf(key), version: randomUUID() });
      const touch = (answerMs?: number): Promise<string> =>
        client.text([CELLS, objectOf(space, firstOfKey(key)), 'touch'], body, {
          once: true,
          ...(answerMs !== undefined && { answerMs }),
        });
      if (space.waits !== true) return (await touch()) === 'touched';
      return client.readOr(
        async (answerMs) => (await touch(answerMs)) === 'touched',
        async () => false, // it is put again
      );
    },
    async list(space, prefix, { limit, order = 'up', with: part = 'heads' } = {}) {
      const [first, rest] = prefix.split('/');
      const found =
        first !== undefined && first !== '' && rest !== undefined
          ? (await listedOf(space, first, part === 'bodies')).filter(({ key }) => key.startsWith(prefix))
          : await spaceByQuery(client, space, prefix);
      const ordered = found
        .toSorted((one, other) => (one.key < other.key === (order === 'up') ? -1 : 1))
        .slice(0, limit);
      if (part !== 'bodies' || rest !== undefined) return ordered;
      const whole = await Promise.all(ordered.map(({ key }) => wholeCell(client, space, key)));
      return whole.filter((cell) => cell !== undefined);
    },
    async delete(space, key, version) {
      cache.forget(key);
      return (await asked(space, key, 'delete', JSON.stringify({ rest: restOf(key), version }))) === 'deleted';
    },
    async setAside(space, key) {
      await asked(space, key, 'delete', JSON.stringify({ rest: restOf(key) }));
      return undefined;
    },
    watch: (space, first, told) => watchByLooking(client, objectOf(space, first), told),
  };
}

/** Tells of each change of what an object lists. */
function watchByLooking(client: RestateClient, object: string, told: () => void): () => void {
  let before = '[]';
  const look = async (): Promise<void> => {
    const now = await client.text([CELLS, object, 'list']);
    if (now !== before && now !== '[]') told();
    before = now;
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(() => {}) // the next look tells
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

/** All that is kept of one first part, also what a list does not show. */
export const forgetCells = (client: RestateClient, space: string, first: string): Promise<string> =>
  client.text([CELLS, `${space}~${first}`, 'forget'], '', { once: true });

const LINE_BREAK = 10;

const putBytes = (put: CellPut, body: Uint8Array): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.concat([Buffer.from(`${JSON.stringify(put)}\n`), body]));

/** A put as its object gets it, or as it waits for a worker. */
export function readPut(bytes: Uint8Array): { readonly put: CellPut; readonly body: Uint8Array } {
  const end = bytes.indexOf(LINE_BREAK);
  return { put: JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as CellPut, body: bytes.slice(end + 1) };
}

async function wholeCell(client: RestateClient, space: Space, key: string, answerMs?: number) {
  const until = Date.now() + LONG_MS;
  for (let attempt = 0; ; attempt++) {
    const cell = await cellNow(client, space, key, answerMs);
    if (cell === undefined || cell.body.length === cell.size) return cell;
    if (Date.now() > until)
      return fail('store/unreachable', `${space.name}/${key} is not whole in ${client.shown}: its put has not ended.`);
    await setTimeout(pauseAfter(attempt)); // RS-CELL-1
  }
}

async function cellNow(client: RestateClient, space: Space, key: string, answerMs: number | undefined) {
  const target = [CELLS, objectOf(space, firstOfKey(key)), 'get'] as const;
  const { bytes } = await client.call(target, restOf(key), answerMs === undefined ? {} : { answerMs });
  const end = bytes.indexOf(LINE_BREAK);
  if (end < 0) return undefined;
  return cellOf(key, JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as CellState, bytes.slice(end + 1));
}

interface LargePut {
  readonly space: Space;
  readonly key: string;
  readonly size: number;
}

/** RS-CELL-2 */
async function orOversized<Value>(work: Promise<Value>, client: RestateClient, put: LargePut): Promise<Value> {
  try {
    return await work;
  } catch (thrown) {
    await refuseOversized(client, put);
    throw thrown;
  }
}

/** The server says it in words alone. */
async function refuseOversized(client: RestateClient, { space, key, size }: LargePut): Promise<void> {
  const object = objectOf(space, firstOfKey(key));
  const puts = await openCalls(client, [CELLS, object, 'put']);
  const stuck = puts.filter(({ last_failure: failed }) => failed?.includes('message size limit') === true);
  if (stuck.length === 0) return;
  // The next in line takes away what it has set, also if this process dies now.
  const next = await client.send([CELLS, object, 'delete'], JSON.stringify({ rest: restOf(key) }));
  for (const { id } of stuck) await client.admin(`/invocations/${id}/kill`, { method: 'PATCH' });
  await client.attached(next, AbortSignal.timeout(LONG_MS));
  fail('journal/write', `${space.name}/${key} has ${size} bytes, and ${SMALLER_MESSAGES}`);
}

const stateOf = (client: RestateClient, which: string) =>
  client.query<{
    readonly service_key: string;
    readonly key: string;
    /** Null where it is no text. */
    readonly value_utf8: string | null;
  }>(`select service_key, key, value_utf8 from state where service_name = '${CELLS}' and ${which}`);

/** Keys and names hold nothing that SQL could mistake. */
async function spaceByQuery(client: RestateClient, { name }: Space, prefix: string): Promise<readonly Cell[]> {
  const rows = await stateOf(client, `service_key like '${name}~%' and key like 'i%'`);
  return rows
    .map(({ service_key: object, key, value_utf8: text }) =>
      cellOf(keyOf(runOfObject(object), key.slice(1)), JSON.parse(text ?? '') as CellState),
    )
    .filter(({ key }) => key.startsWith(prefix));
}

/** Lists cells by a query: puts that wait for a worker come after those that the object has. */
async function listedByQuery(client: RestateClient, space: Space, first: string): Promise<readonly Cell[]> {
  const object = objectOf(space, first);
  const rows = await stateOf(client, `service_key = '${object}'`);
  const bodies = new Map(rows.map(({ key, value_utf8: text }) => [key, text]));
  const kept = rows
    .filter(({ key }) => key.startsWith('i'))
    .map(({ key, value_utf8: text }) =>
      cellOf(
        keyOf(first, key.slice(1)),
        JSON.parse(text ?? '') as CellState,
        new TextEncoder().encode(bodies.get(`b${key.slice(1)}`) ?? ''),
      ),
    );
  const known = new Set(kept.map(({ key }) => key));
  const waiting = await waitingInputs(client, [CELLS, object, 'put']);
  const put = waiting.map((bytes) => waitingCell(first, bytes)).filter(({ key }) => !known.has(key));
  return [...kept, ...put];
}

function waitingCell(first: string, bytes: Uint8Array): Cell {
  const { put, body } = readPut(bytes);
  return cellOf(keyOf(first, put.rest), { version: put.version, at: 0, size: body.length, head: put.head }, body);
}

/** A query gives texts, which agent files and messages are. Anything else is read when a worker is there. */
async function cellByQuery(client: RestateClient, space: Space, key: string): Promise<Cell | undefined> {
  const look = async (): Promise<Cell | undefined> => {
    const object = objectOf(space, firstOfKey(key));
    const rest = restOf(key);
    const rows = await stateOf(client, `service_key = '${object}' and key in ('i${rest}', 'b${rest}')`);
    const info = rows.find((row) => row.key === `i${rest}`);
    if (info === undefined) return undefined;
    const state = JSON.parse(info.value_utf8 ?? '') as CellState;
    const text = rows.find((row) => row.key === `b${rest}`)?.value_utf8;
    const body = new TextEncoder().encode(text ?? '');
    return body.length === state.size ? cellOf(key, state, body) : wholeCell(client, space, key, LONG_MS); // RS-CELL-1
  };
  const found = await look();
  if (found !== undefined) return found;
  const first = firstOfKey(key);
  const waiting = await waitingInputs(client, [CELLS, objectOf(space, first), 'put']);
  const put = waiting.map((bytes) => waitingCell(first, bytes)).find((cell) => cell.key === key);
  if (put !== undefined) return put;
  await client.queryAgain(
    `select key from state where service_name = '${CELLS}' and service_key = '${objectOf(space, first)}'`,
  );
  return look();
}

const LONG_MS = 30_000;

function tooLarge({ name }: Space, key: string, bytes: number): never {
  fail(
    'journal/write',
    `${name}/${key} has ${bytes} bytes, and a store in Restate takes at most ${MOST_BYTES}. ` + LESS_OR_ELSEWHERE,
  );
}

function bytesCache() {
  const cached = new Map<string, Cell>();
  let bytesCached = 0;
  const forget = (key: string): void => {
    bytesCached -= cached.get(key)?.size ?? 0;
    cached.delete(key);
  };
  return {
    get: (key: string): Cell | undefined => cached.get(key),
    forget,
    add(cell: Cell): void {
      if (cell.size > CACHED_BYTES / 16 || cached.has(cell.key)) return;
      cached.set(cell.key, cell);
      bytesCached += cell.size;
      for (const oldest of cached.keys()) {
        if (bytesCached <= CACHED_BYTES) break;
        forget(oldest);
      }
    },
  };
}
