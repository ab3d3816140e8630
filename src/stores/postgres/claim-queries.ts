// The taking of runs by workers. A run comes with the facts that it needs to go on: its epoch, which is raised, and its
// events. TAKE-ONE. A run that another worker is taking at this moment is passed over. TAKE-TWO. A worker whose
// connection broke may have taken runs that it does not know of. It says which ones it has, and gets the others again.

import type { RunEvent, RunId } from '../../journal/event.ts';
import type { TakenRun, TakeRequest } from '../../journal/store.ts';
import { eventOf } from '../stored-event.ts';
import { asKey } from './as-key.ts';
import type { Connections } from './connections.ts';
import type { Statement } from './database.ts';
import { readEvents } from './events.ts';
import type { Claims } from './lease.ts';
import { NO_CONFIG } from './submit-queries.ts';

/** The events of a longer run are read by themselves. */
const WITH_EVENTS = 200;

const FITS = `(needs is null or needs = any($2::text[])) and ($3::text[] is null or agent = any($3::text[]))
              and ($4::text is null or config = $4) and run <> all ($5::text[])`;

/** Found by their place on the disk: a join would be planned by what the planner last knew of the table. */
const taking = (open: string): string => `
  taken as (
    update cadre_run r set held_by = $1, epoch = r.epoch + 1 where r.ctid = any (array(${open}))
    returning r.run, r.epoch, r.events, r.summary)
  select t.run, t.epoch, t.summary, e.bodies, e.versions,
    exists (select 1 from cadre_cell c
      where c.space = 'control' and c.key > t.run || '/' and c.key < t.run || '0') as has_messages
  from taken t left join lateral (
    select string_agg(body, E'\\n' order by seq) as bodies, array_agg(version order by seq) as versions
    from cadre_event e where e.run = t.run and t.events <= ${WITH_EVENTS}) e on true
  order by t.run`;

/** Runs that nobody has, oldest first (TAKE-ONE). */
const QUEUED: Statement = {
  name: 'cadre-take-queued',
  text: `with ${taking(`select ctid from cadre_run where is_placed and outcome is null and held_by is null and ${FITS}
           order by run limit $6 for update skip locked`)}`,
};

/** Runs whose holder is gone. The holders are found one by one in the index, however many runs they have. */
const LEFT: Statement = {
  name: 'cadre-take-left',
  text: `with recursive holder (id) as (
           (select held_by from cadre_run where is_placed and outcome is null and held_by is not null
            order by held_by limit 1)
           union all
           select (select r.held_by from cadre_run r where r.is_placed and r.outcome is null and r.held_by > holder.id
                   order by r.held_by limit 1)
           from holder where holder.id is not null),
         gone as (
           select id from holder where id is not null and (id = $1 or id <> all (array(select id from cadre_alive)))),
         ${taking(`select r.ctid from cadre_run r where r.is_placed and r.outcome is null
           and r.held_by = any (array(select id from gone)) and r.run <> all ($7::text[]) and ${FITS}
           limit $6 for update skip locked`)}`,
};

interface TakeRow {
  readonly run: RunId;
  readonly epoch: number;
  readonly summary: string;
  /** Null for a long run. */
  readonly bodies: string | null;
  readonly versions: readonly number[] | null;
  readonly has_messages: boolean;
  readonly [column: string]: unknown;
}

export function claimQueries({ database, session, unknown, leases }: Connections & { readonly leases: Claims }) {
  const recordedOf = async ({ run, bodies, versions }: TakeRow): Promise<readonly RunEvent[]> => {
    if (bodies !== null)
      return bodies.split('\n').map((body, seq) => eventOf(run, { seq, body, version: versions?.[seq] ?? 0 }));
    const recorded: RunEvent[] = [];
    for await (const event of readEvents({ database, unknown }, run, 0)) recorded.push(event);
    return recorded;
  };
  return async (request: TakeRequest, labels: readonly string[]): Promise<readonly TakenRun[]> => {
    const { from, most, agents, pinned, except } = request;
    const config = pinned === undefined ? null : (pinned.config ?? NO_CONFIG);
    const me = await session.holder();
    const values = [me, labels.map(asKey), agents?.map(asKey) ?? null, config, except, most];
    const rows = await (from === 'queue'
      ? database.query<TakeRow>(QUEUED, values)
      : database.query<TakeRow>(LEFT, [...values, leases.held()])); // TAKE-TWO
    return rows.map((row): TakenRun => {
      const { open, giveBack } = leases.taken(row);
      const opened = async () => {
        const recorded = await recordedOf(row);
        return { recorded, lease: open(recorded) };
      };
      return { run: row.run, hasMessages: row.has_messages, open: opened, giveBack };
    });
  };
}
