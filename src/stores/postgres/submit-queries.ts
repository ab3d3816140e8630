// Runs that are stored and left to the workers in one statement, those of one moment together.

import { EVENT_VERSION, type RunStart } from '../../journal/event.ts';
import { checkRunId } from '../../journal/run-names.ts';
import type { WorkerNeeds } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { emptySummary, summaryFold, textOfSummary } from '../summary.ts';
import { lines } from './appends.ts';
import { Batches } from './batches.ts';
import type { Database, Statement } from './database.ts';
import { eventRowsOf } from './lease.ts';

const SUBMIT: Statement = {
  name: 'cadre-submit',
  text: `with given as (
           select * from unnest($2::text[], string_to_array($3, E'\\n'), string_to_array($4, E'\\n', ''),
             string_to_array($5, E'\\n', ''), string_to_array($6, E'\\n', ''), $7::bigint[], $8::text[],
             string_to_array($9, E'\\n', ''), $10::smallint[], $11::text[], string_to_array($12, E'\\n'))
             as t (run, summary, agent, label, thread, started_at, config, needs, version, named, body)),
         made as (
           insert into cadre_run (run, epoch, events, summary, agent, label, thread, started_at, is_placed, config, needs)
           select run, 1, 1, summary, agent, label, thread, started_at, true, config, needs from given order by run
           on conflict (run) do nothing returning run),
         added as (
           insert into cadre_event (run, seq, version, named, body)
           select g.run, 0, g.version, string_to_array(g.named, ','), g.body from given g join made on made.run = g.run)
         select run, pg_notify($1, 'work') from made`,
};

const FIRST: Statement = { name: 'cadre-first', text: 'select body from cadre_event where run = $1 and seq = 0' };

/** The mark of a run that pinned no cadre.yaml, in place of its digest. */
export const NO_CONFIG = 'none';

interface Submitted {
  readonly start: RunStart;
  readonly needs: WorkerNeeds;
  readonly row: ReturnType<typeof eventRowsOf>;
  readonly summary: ReturnType<typeof emptySummary>;
}

const MOST_BYTES = 256 * 1024;

/** Throws `run/locked` for a run that exists already. */
export function submitQueries(database: Database, channel: () => Promise<string>) {
  const batches = new Batches<Submitted, boolean>({
    atOnce: 2,
    most: MOST_BYTES,
    sizeOf: ({ row }) => row.bytes,
    async send(given) {
      const rows = await database.query<{ run: string }>(SUBMIT, columns(await channel(), given));
      const made = new Set(rows.map(({ run }) => run));
      return given.map(({ start }) => made.has(start.run));
    },
  });
  return async (start: RunStart, needs: WorkerNeeds): Promise<void> => {
    const { run } = start;
    checkRunId(run);
    const row = eventRowsOf([start], (version = EVENT_VERSION) => version);
    const { tally, add } = summaryFold(emptySummary(run));
    tally.bytes = row.bytes;
    add(start);
    if (await batches.add({ start, needs, row, summary: tally })) return;
    const [first] = await database.query<{ body: string }>(FIRST, [run]);
    if (first?.body === row.body[0]) return; // the answer to our statement was lost, and it was repeated
    fail('run/locked', `Run ${run} exists already. Take another id.`);
  };
}

function columns(channel: string, given: readonly Submitted[]): readonly unknown[] {
  const of = <Value>(value: (one: Submitted) => Value): readonly Value[] => given.map(value);
  return [
    channel,
    of(({ start }) => start.run),
    of(({ summary }) => textOfSummary(summary)).join('\n'),
    lines(of(({ summary }) => summary.agent)),
    lines(of(({ summary }) => summary.label)),
    lines(of(({ summary }) => summary.thread)),
    of(({ summary }) => summary.startedAt),
    of(({ needs }) => needs.config ?? NO_CONFIG),
    lines(of(({ needs }) => needs.label)),
    of(({ row }) => row.version[0]),
    of(({ row }) => row.named[0]),
    of(({ row }) => row.body[0]).join('\n'),
  ];
}
