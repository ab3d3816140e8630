// Claiming a run, and appending to it under that claim.
// FENCE-1. A claim raises the run's epoch. An append names run, epoch and place, and is one statement: either all of its
//          events are written with the run's new summary, or nothing is, because another process has the run.
// FENCE-2. An append that is repeated after a broken connection finds the run one place further if the broken one was
//          written. The epoch is still ours then, so those events are ours.

import { fail } from '../../../kernel/fault.ts';
import { EVENT_VERSION, type RunEvent, type RunId } from '../../event.ts';
import type { RunLease } from '../../store.ts';
import { addDigests } from '../file/collect.ts';
import { checkOrder } from '../order.ts';
import { emptySummary, type GrowingSummary, type SummaryFold, summaryFold } from '../summary.ts';
import type { Database, Statement } from './database.ts';
import { readEvents, type Unknown } from './events.ts';
import type { Lookout } from './lookout.ts';
import type { Session } from './session.ts';

const BEGIN: Statement = {
  name: 'cadre-begin',
  text: 'insert into cadre_run (run, epoch, held_by) values ($1, 1, $2) on conflict (run) do nothing returning epoch',
};

const CLAIM: Statement = {
  name: 'cadre-claim',
  text: `update cadre_run set epoch = epoch + 1, held_by = $3
         where run = $1 and events = $2
           and (held_by is null or held_by = $3 or held_by <> all (array(select id from cadre_alive)))
         returning epoch, summary`,
};

const STANDS: Statement = {
  name: 'cadre-stands',
  text: `select r.epoch, r.events, r.held_by, h.name from cadre_run r left join cadre_holder h on h.id = r.held_by
         where r.run = $1`,
};

const APPEND: Statement = {
  name: 'cadre-append',
  text: `with held as (
           update cadre_run set events = events + $4, summary = $5, agent = $6, label = $7, thread = $8, outcome = $9,
             started_at = $10, waiting = $11, held_by = case when $9::text is null then held_by end
           where run = $1 and epoch = $2 and events = $3 returning run),
         added as (
           insert into cadre_event (run, seq, version, ended, named, body)
           select $1, $3 + t.i - 1, t.version, t.ended, string_to_array(t.named, ','), t.body
           from held, unnest($12::smallint[], $13::text[], $14::text[], $15::text[]) with ordinality
             as t (version, ended, named, body, i) returning 1)
         select (select count(*) from added)::int as added, case when $16::text is not null then pg_notify($16, case when $9::text is null then 'events ' else 'ended ' end || $1) end
         from held`,
};

const RELEASE: Statement = {
  name: 'cadre-release',
  text: `with left_empty as (delete from cadre_run where run = $1 and epoch = $2 and events = 0)
         update cadre_run set held_by = null where run = $1 and epoch = $2 and events > 0`,
};

interface Stands {
  readonly epoch: number;
  readonly events: number;
  readonly held_by: number | null;
  readonly name: string | null;
  readonly [column: string]: unknown;
}

export interface Writing {
  readonly database: Database;
  readonly session: Session;
  readonly lookout: Lookout;
  readonly unknown: Unknown;
}

export interface Claims {
  claim(run: RunId, expectedSeq: number): Promise<RunLease>;
  /** Another lease may be claimed here, because the one that this process has is worth nothing any more. */
  forget(run: RunId): void;
}

/** The claims of one process: it has one lease of a run at a time. */
export function claims(writing: Writing): Claims {
  const held = new Map<RunId, symbol>();
  return {
    async claim(run, expectedSeq) {
      if (held.has(run)) fail('run/locked', `Run ${run} is being written by this process already. Wait for it to end.`);
      const mine = Symbol(run);
      held.set(run, mine);
      const released = (): void => {
        if (held.get(run) === mine) held.delete(run);
      };
      try {
        const { epoch, tally } = await claimed(writing, run, expectedSeq);
        const channel = await writing.session.channel('told');
        return new Lease(writing, { run, epoch, summary: tally, channel, released });
      } catch (thrown) {
        released();
        throw thrown;
      }
    },
    forget: (run) => void held.delete(run),
  };
}

interface Claimed {
  readonly epoch: number;
  readonly tally: SummaryFold;
}

async function claimed(writing: Writing, run: RunId, expectedSeq: number): Promise<Claimed> {
  const { database, session, lookout, unknown } = writing;
  lookout.listen();
  const me = await session.holder();
  if (expectedSeq === 0) {
    const [begun] = await database.query<{ epoch: number }>(BEGIN, [run, me]);
    if (begun !== undefined) return { epoch: begun.epoch, tally: summaryFold(emptySummary(run)) };
  }
  const [row] = await database.query<{ epoch: number; summary: string | null }>(CLAIM, [run, expectedSeq, me]);
  if (row !== undefined) return { epoch: row.epoch, tally: await tallyOf(writing, run, row.summary) };
  const [stands] = await database.query<Stands>(STANDS, [run]);
  if (stands === undefined) return await unknown(run);
  return refused(run, stands, expectedSeq);
}

function refused(run: RunId, { events, held_by: holder, name }: Stands, expected: number): never {
  if (events !== expected && expected === 0)
    fail('run/locked', `Run ${run} exists already, with ${events} events. Take another id.`);
  if (events !== expected)
    fail('run/locked', `Run ${run} has ${events} events, not ${expected}: another process wrote to it. Read it again.`);
  const who = name ?? String(holder);
  return fail(
    'run/locked',
    `Run ${run} is being written by ${who}. Wait for it to end. If that process is gone: cadre resume ${run} --take-over`,
    { holder: who },
  );
}

/** The counts so far. If ops are under way, it matters how they began, so the run is counted from its beginning. */
async function tallyOf({ database, unknown }: Writing, run: RunId, summary: string | null): Promise<SummaryFold> {
  if (summary === null) return summaryFold(emptySummary(run));
  const known = JSON.parse(summary) as GrowingSummary;
  if (known.inFlight === 0 && known.waiting === 0) return summaryFold(known);
  const tally = summaryFold(emptySummary(run));
  for await (const event of readEvents(database, run, 0, unknown)) tally.add(event);
  tally.tally.bytes = known.bytes;
  return tally;
}

interface Held {
  readonly run: RunId;
  readonly epoch: number;
  readonly summary: SummaryFold;
  /** On which followers are told. */
  readonly channel: string;
  released(): void;
}

class Lease implements RunLease {
  readonly #writing: Writing;
  readonly #held: Held;
  #version = EVENT_VERSION;
  #isReleased = false;
  /** An append of the end also gives the run back. */
  #isFree = false;
  /** Why nothing more is written: what the summary counts was not written. */
  #failed: unknown;

  constructor(writing: Writing, held: Held) {
    this.#writing = writing;
    this.#held = held;
  }

  async append(events: readonly RunEvent[]): Promise<void> {
    const { run, summary } = this.#held;
    if (this.#isReleased) fail('run/locked', `Run ${run} was released. Claim it again before writing to it.`);
    if (this.#failed !== undefined) throw this.#failed;
    const place = summary.tally.events;
    checkOrder(run, events, place);
    if (events.length === 0) return;
    try {
      await this.#write(place, events, this.#rowsOf(events));
    } catch (thrown) {
      this.#failed = thrown;
      throw thrown;
    }
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    const { run, epoch, released } = this.#held;
    try {
      if (!this.#isFree) await this.#writing.database.query(RELEASE, [run, epoch]);
    } finally {
      released();
    }
  }

  /** The columns of the events, and their part of the summary. */
  #rowsOf(events: readonly RunEvent[]): Rows {
    const { tally, add } = this.#held.summary;
    const rows: Rows = { version: [], ended: [], named: [], body: [], bytes: 0 };
    for (const event of events) {
      const body = JSON.stringify(event);
      if ('version' in event && event.version !== undefined) this.#version = event.version;
      const digests = new Set<string>();
      addDigests(body, digests);
      rows.version.push(this.#version);
      rows.ended.push(event.type === 'op-end' ? event.path : null);
      rows.named.push(digests.size === 0 ? null : [...digests].join(','));
      rows.body.push(body);
      const bytes = Buffer.byteLength(body) + 1;
      rows.bytes += bytes;
      tally.bytes += bytes;
      add(event);
    }
    return rows;
  }

  /** FENCE-1 */
  async #write(place: number, events: readonly RunEvent[], rows: Rows): Promise<void> {
    const { run, epoch, summary, channel } = this.#held;
    const { database, lookout } = this.#writing;
    const { agent, label, thread, outcome, startedAt, waiting } = summary.tally;
    const isTold = outcome !== undefined || lookout.isFollowed(run);
    const answerMs = 20_000 + rows.bytes / 1000;
    const values = [run, epoch, place, events.length, JSON.stringify(summary.tally), asKey(agent), asKey(label)];
    const more = [asKey(thread), outcome ?? null, startedAt, waiting, rows.version, rows.ended, rows.named, rows.body];
    const [written] = await database.query(APPEND, [...values, ...more, isTold ? channel : null], answerMs);
    this.#isFree = outcome !== undefined;
    if (written !== undefined) return;
    const [stands] = await database.query<Stands>(STANDS, [run]);
    if (stands?.epoch === epoch && stands.events === place + events.length) return; // FENCE-2
    fail('run/taken-over', `Run ${run} was taken over. It is not written to any more.`);
  }
}

interface Rows {
  readonly version: number[];
  readonly ended: (string | null)[];
  readonly named: (string | null)[];
  readonly body: string[];
  bytes: number;
}

/** A word that people gave, for a column: as JSON, because a column holds no NUL. */
export const asKey = (word: string | undefined): string | null => (word === undefined ? null : JSON.stringify(word));
