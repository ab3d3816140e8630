// Claiming a run, and appending to it under that claim.
// FENCE-1. A claim raises the run's epoch. An append names run, epoch and place, and is part of one statement: either all
//          of its events are written with the run's new summary, or none is, because another process has the run.
// FENCE-2. An append that is repeated after a broken connection finds the run one place further if the broken one was
//          written. The epoch is still ours then, so those events are ours.

import { addDigests } from '../../journal/blobs.ts';
import { EVENT_VERSION, type RunEvent, type RunId } from '../../journal/event.ts';
import type { RunLease } from '../../journal/log.ts';
import { fail } from '../../kernel/fault.ts';
import { checkOrder } from '../order.ts';
import {
  emptySummary,
  type GrowingSummary,
  isAtRest,
  type SummaryFold,
  summaryFold,
  textOfSummary,
} from '../summary.ts';
import { type Appends, type EventRows, postgresAppends } from './appends.ts';
import { Batches } from './batches.ts';
import type { Connections } from './connections.ts';
import type { Database, Statement } from './database.ts';
import { readEvents } from './events.ts';

/** Repeated after a broken connection, it finds the run that the broken one began, and the claim takes that. */
const BEGIN: Statement = {
  name: 'cadre-begin',
  text: `insert into cadre_run (run, epoch, held_by) select run, 1, $2 from unnest($1::text[]) as run order by run
         on conflict (run) do nothing returning run`,
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

/** The claims of one process: it has one lease of a run at a time. */
export function claims(writing: Connections) {
  const { database, session } = writing;
  const held = new Map<RunId, symbol>();
  const append = postgresAppends(database, () => session.channel('runs'));
  const begin = begins(database);
  /** Undefined if this process has a lease of it. */
  const hold = (run: RunId): (() => void) | undefined => {
    if (held.has(run)) return undefined;
    const mine = Symbol(run);
    held.set(run, mine);
    return () => {
      if (held.get(run) === mine) held.delete(run);
    };
  };
  return {
    async claim(run: RunId, expectedSeq: number): Promise<RunLease> {
      const released = hold(run);
      if (released === undefined) return fail('run/locked', beingWritten(run));
      try {
        const { epoch, summary } = await claimed(writing, begin, run, expectedSeq);
        return new Lease(writing, append, { run, epoch, summary, released });
      } catch (thrown) {
        released();
        throw thrown;
      }
    },
    taken({ run, epoch, summary }: { readonly run: RunId; readonly epoch: number; readonly summary: string }) {
      const released = hold(run);
      return {
        /** Throws `run/locked` while this process still has an earlier lease of the run, which is worth nothing any more. */
        open(recorded: readonly RunEvent[]): RunLease {
          if (released === undefined) return fail('run/locked', beingWritten(run));
          return new Lease(writing, append, { run, epoch, summary: counted(run, summary, recorded), released });
        },
        async giveBack(): Promise<void> {
          try {
            await database.query(RELEASE, [run, epoch]);
          } finally {
            released?.();
          }
        },
      };
    },
    /** The runs that this process has a lease of, or is about to have. */
    held: (): readonly RunId[] => [...held.keys()],
    /** Another lease may be claimed here, because the one that this process has is worth nothing any more. */
    forget: (run: RunId): void => void held.delete(run),
  };
}

export type Claims = ReturnType<typeof claims>;

const beingWritten = (run: RunId): string => `Run ${run} is being written by this process already. Wait for it to end.`;

/** Runs that begin together begin with one statement. Resolves with whether the run is new. */
function begins(database: Database): (run: RunId, me: number) => Promise<boolean> {
  const batches = new Batches<{ readonly run: RunId; readonly me: number }, boolean>({
    atOnce: 1,
    most: 200,
    sizeOf: () => 1,
    async send(asked) {
      const runs = asked.map(({ run }) => run);
      const rows = await database.query<{ run: RunId }>(BEGIN, [runs, asked[0]?.me]);
      const begun = new Set(rows.map(({ run }) => run));
      return runs.map((run) => begun.has(run));
    },
  });
  return (run, me) => batches.add({ run, me });
}

async function claimed(
  writing: Connections,
  begin: (run: RunId, me: number) => Promise<boolean>,
  run: RunId,
  expectedSeq: number,
): Promise<{ readonly epoch: number; readonly summary: SummaryFold }> {
  const { database, session, lookout, unknown } = writing;
  lookout.listen();
  const me = await session.holder();
  if (expectedSeq === 0 && (await begin(run, me))) return { epoch: 1, summary: summaryFold(emptySummary(run)) };
  const [row] = await database.query<{ epoch: number; summary: string | null }>(CLAIM, [run, expectedSeq, me]);
  if (row !== undefined) {
    const isKnown = row.summary === null || isAtRest(JSON.parse(row.summary) as GrowingSummary);
    const recorded: RunEvent[] = [];
    if (!isKnown) for await (const event of readEvents({ database, unknown }, run, 0)) recorded.push(event);
    return { epoch: row.epoch, summary: counted(run, row.summary, recorded) };
  }
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

/** The counts so far. A run that has not ended is counted from its beginning: it matters how what is under way began. */
function counted(run: RunId, summary: string | null, recorded: readonly RunEvent[]): SummaryFold {
  if (summary === null) return summaryFold(emptySummary(run));
  const known = JSON.parse(summary) as GrowingSummary;
  if (isAtRest(known)) return summaryFold(known);
  const fold = summaryFold(emptySummary(run));
  for (const event of recorded) fold.add(event);
  fold.tally.bytes = known.bytes;
  return fold;
}

class Lease implements RunLease {
  readonly #writing: Connections;
  readonly #append: Appends;
  readonly #held;
  #version = EVENT_VERSION;
  #isReleased = false;
  /** An append of the end also gives the run back. */
  #isFree = false;
  /** The reason why nothing more is written: the summary counts events that were not written. */
  #failed: unknown;

  constructor(
    writing: Connections,
    append: Appends,
    held: {
      readonly run: RunId;
      readonly epoch: number;
      readonly summary: SummaryFold;
      released(): void;
    },
  ) {
    this.#writing = writing;
    this.#append = append;
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
  #rowsOf(events: readonly RunEvent[]): EventRows {
    const { tally, add } = this.#held.summary;
    const rows = eventRowsOf(events, (version) => (this.#version = version ?? this.#version));
    tally.bytes += rows.bytes;
    for (const event of events) add(event);
    return rows;
  }

  /** FENCE-1 */
  async #write(place: number, events: readonly RunEvent[], rows: EventRows): Promise<void> {
    const { run, epoch, summary } = this.#held;
    const { database, lookout } = this.#writing;
    const tally = { ...summary.tally };
    const isEnd = tally.outcome !== undefined;
    const told = isEnd ? 'ended' : lookout.isFollowed(run) ? 'events' : null;
    const written = await this.#append({ run, epoch, place, summary: textOfSummary(tally), tally, rows, told });
    this.#isFree = isEnd;
    if (written) return;
    const [stands] = await database.query<Stands>(STANDS, [run]);
    if (stands?.epoch === epoch && stands.events === place + events.length) return; // FENCE-2
    fail('run/taken-over', `Run ${run} was taken over. It is not written to any more.`);
  }
}

/** `versionOf` gets the version that an event says, and gives the one that it is of. */
export function eventRowsOf(events: readonly RunEvent[], versionOf: (said: number | undefined) => number): EventRows {
  const rows: EventRows = { version: [], named: [], body: [], bytes: 0 };
  for (const event of events) {
    const body = JSON.stringify(event);
    const digests = new Set<string>();
    addDigests(body, digests);
    rows.version.push(versionOf('version' in event ? event.version : undefined));
    rows.named.push(digests.size === 0 ? null : [...digests].join(','));
    rows.body.push(body);
    rows.bytes += Buffer.byteLength(body) + 1;
  }
  return rows;
}
