// Appends of many runs in one statement. Each is written or refused on its own: see FENCE-1.
// A line is an item: JSON holds no line break, so texts need no escaping on their way.

import type { RunId } from '../../journal/event.ts';
import type { GrowingSummary } from '../summary.ts';
import { asKey } from './as-key.ts';
import { Batches } from './batches.ts';
import type { Database, Statement } from './database.ts';
import { spentRowsText } from './spent-rows.ts';

const APPEND: Statement = {
  name: 'cadre-append',
  text: `with appended as materialized (
           select cadre_append_events($1, $2::text[], $3::int[], $4::int[], $5::int[], $6, $7, $8, $9, $10::text[], $11::bigint[],
             $12::int[], $13::text[], $14::text[], $15::int[], $16::smallint[], $17::text[], $18) as held)
         select held, cadre_put_spent($19::json, held) from appended`,
};

/** The columns of the events of one append. */
export interface EventRows {
  readonly version: number[];
  /** The digests that it names, with commas between them. */
  readonly named: (string | null)[];
  readonly body: string[];
  bytes: number;
}

interface Append {
  readonly run: RunId;
  readonly epoch: number;
  /** The number of events that the run has before it. */
  readonly place: number;
  /** The summary after these events, as the columns of the run have it. */
  readonly summary: string;
  readonly tally: Readonly<GrowingSummary>;
  readonly rows: EventRows;
  /** The notice for those who listen for this run. */
  readonly told: 'events' | 'ended' | null;
}

/** Resolves with whether it was written. */
export type Appends = (append: Append) => Promise<boolean>;

/** Two are enough for one to be written to the disk while the next is on its way. */
const AT_ONCE = 2;
const MOST_BYTES = 256 * 1024;
/** The time beyond that of the statement itself. */
const BYTES_A_MS = 1000;
const ANSWER_MS = 20_000;

export function postgresAppends(database: Database, channel: () => Promise<string>): Appends {
  const batches = new Batches<Append, boolean>({
    atOnce: AT_ONCE,
    most: MOST_BYTES,
    sizeOf: ({ rows }) => rows.bytes,
    async send(appends) {
      const ordered = appends.toSorted((left, right) => (left.run < right.run ? -1 : 1)); // two of them cannot wait for each other
      const answerMs = ANSWER_MS + ordered.reduce((sum, { rows }) => sum + rows.bytes, 0) / BYTES_A_MS;
      const [row] = await database.query<{ held: string[] }>(APPEND, columns(await channel(), ordered), answerMs);
      const held = new Set(row?.held);
      return appends.map(({ run }) => held.has(run));
    },
  });
  return (append) => batches.add(append);
}

function columns(channel: string, appends: readonly Append[]): readonly unknown[] {
  const of = <Value>(value: (append: Append) => Value): readonly Value[] => appends.map(value);
  const events = <Value>(value: (rows: EventRows) => readonly Value[]): readonly Value[] =>
    appends.flatMap(({ rows }) => value(rows));
  return [
    channel,
    of(({ run }) => run),
    of(({ epoch }) => epoch),
    of(({ place }) => place),
    of(({ rows }) => rows.body.length),
    of(({ summary }) => summary).join('\n'),
    lines(of(({ tally }) => tally.agent)),
    lines(of(({ tally }) => tally.label)),
    lines(of(({ tally }) => tally.thread)),
    of(({ tally }) => tally.outcome ?? null),
    of(({ tally }) => tally.startedAt),
    of(({ tally }) => tally.waiting),
    of(({ told }) => told),
    appends.flatMap(({ run, rows }) => rows.body.map(() => run)),
    appends.flatMap(({ place, rows }) => rows.body.map((_, index) => place + index)),
    events(({ version }) => version),
    events(({ named }) => named),
    events(({ body }) => body).join('\n'),
    spentRowsText(of(({ tally }) => tally)),
  ];
}

/** Words that people gave, as lines; an empty line for none. */
export const lines = (words: readonly (string | undefined)[]): string =>
  words.map((word) => asKey(word) ?? '').join('\n');
