// The tables of a store in Postgres, and how older ones become today's. A database says in cadre_version how far it is.
// MIGRATION-1. A step is never changed once a release has shipped with it.
// MIGRATION-2. One process migrates at a time: the others wait at a lock of the schema, and then find nothing to do.

import type { ClientBase } from 'pg';
import { fail } from '../../kernel/fault.ts';

/** The class of the advisory locks by which a process shows that it is alive. */
export const ALIVE_CLASS = 212_014;

/** A process counts as gone when the store has not heard of it for this long. */
const UNSEEN = `interval '15 seconds'`;

const FIRST = `
create table cadre_holder (
  id int primary key,
  name text not null,
  kind text not null,
  labels text[] not null default '{}',
  workspace text,
  seen_at timestamptz not null default clock_timestamp()
);

create view cadre_alive as
  select h.id, h.name, h.kind, h.labels, h.workspace from cadre_holder h
  where h.seen_at > clock_timestamp() - ${UNSEEN}
    and (clock_timestamp() - pg_postmaster_start_time() < interval '3 seconds' or exists (
      select 1 from pg_locks l
      where l.locktype = 'advisory' and l.classid = ${ALIVE_CLASS} and l.objid = h.id::oid and l.objsubid = 2
        and l.granted and l.database = (select d.oid from pg_database d where d.datname = current_database())));

create table cadre_run (
  run text collate "C" primary key,
  epoch int not null,
  held_by int,
  events int not null default 0,
  summary text,
  agent text,
  label text,
  thread text,
  outcome text,
  started_at bigint,
  waiting int not null default 0,
  is_placed boolean not null default false,
  config text,
  needs text
) with (fillfactor = 60);
create index cadre_run_agent on cadre_run (agent, run) where agent is not null;
create index cadre_run_label on cadre_run (label, run) where label is not null;
create index cadre_run_thread on cadre_run (thread, run) where thread is not null;
create index cadre_run_outcome on cadre_run (outcome, run) where outcome is not null;
create index cadre_run_started on cadre_run (started_at) where started_at is not null;
create index cadre_run_open on cadre_run (run) where outcome is null;
create index cadre_run_waiting on cadre_run (run) where waiting > 0;
create index cadre_run_placed on cadre_run (run) where is_placed and outcome is null;

create table cadre_event (
  run text collate "C" not null,
  seq int not null,
  version smallint not null,
  ended text collate "C",
  named text[],
  body text not null,
  primary key (run, seq)
);
create index cadre_event_ended on cadre_event (run, ended) where ended is not null;
create index cadre_event_named on cadre_event (run) where named is not null;

create table cadre_blob (
  digest text collate "C" primary key,
  bytes bytea not null,
  put_at timestamptz not null
);

create table cadre_key (
  digest text collate "C" primary key,
  value text not null,
  tied_at timestamptz not null
);

create table cadre_control (
  n bigint generated always as identity primary key,
  run text collate "C" not null,
  id text collate "C" not null,
  body text not null,
  is_taken boolean not null default false,
  unique (run, id)
);

create table cadre_slot (
  key text collate "C" not null,
  slot int not null,
  held_by int not null,
  holding text not null,
  primary key (key, slot)
);
`;

/**
 * Appends of many runs are one statement. It is a loop, so that each run is found by its key, whatever the planner knows
 * of the table. Runs that wait for a worker and runs that a worker has are found by an index each: what a worker looks
 * at does not grow with the runs at work.
 */
const SECOND = `
drop index cadre_run_placed;
create index cadre_run_queued on cadre_run (run) where is_placed and outcome is null and held_by is null;
create index cadre_run_taken on cadre_run (held_by, run) where is_placed and outcome is null and held_by is not null;

create function cadre_append(
  channel text, runs text[], epochs int[], places int[], counts int[], summaries text, agents text, labels text,
  threads text, outcomes text[], starts bigint[], waits int[], tellings text[],
  event_runs text[], seqs int[], versions smallint[], ends text[], names text[], bodies text
) returns text[] language plpgsql as $$
declare
  one record;
  held text[] := '{}';
begin
  for one in
    select * from unnest(runs, epochs, places, counts, string_to_array(summaries, E'\\n'), string_to_array(agents, E'\\n', ''),
      string_to_array(labels, E'\\n', ''), string_to_array(threads, E'\\n', ''), outcomes, starts, waits, tellings)
      as t (run, epoch, place, added, summary, agent, label, thread, outcome, started_at, waiting, telling)
  loop
    if one.place = 0 then
      update cadre_run r set events = one.added, summary = one.summary, agent = one.agent, label = one.label,
        thread = one.thread, outcome = one.outcome, started_at = one.started_at, waiting = one.waiting,
        held_by = case when one.outcome is null then r.held_by end
      where r.run = one.run and r.epoch = one.epoch and r.events = 0;
    else
      update cadre_run r set events = one.place + one.added, summary = one.summary, outcome = one.outcome,
        waiting = one.waiting, held_by = case when one.outcome is null then r.held_by end
      where r.run = one.run and r.epoch = one.epoch and r.events = one.place;
    end if;
    if found then
      held := held || one.run;
      if one.telling is not null then
        perform pg_notify(channel, one.telling || ' ' || one.run);
      end if;
    end if;
  end loop;
  insert into cadre_event (run, seq, version, ended, named, body)
    select t.run, t.seq, t.version, t.ended, string_to_array(t.named, ','), t.body
    from unnest(event_runs, seqs, versions, ends, names, string_to_array(bodies, E'\\n'))
      as t (run, seq, version, ended, named, body)
    where t.run = any(held);
  return held;
end $$;
`;

const TESTS = `
create table cadre_tests (
  id text collate "C" primary key,
  head text not null,
  body text not null,
  put_at timestamptz not null
);
`;

/** The needs that a worker can meet, as JSON: see `WorkerCard`. Null if a process is no worker. */
const TAKES = 'alter table cadre_holder add column takes text';

/**
 * Messages, keys and results of tests become cells, and blobs get a space and a version. Messages that waited come before
 * all that are posted from now on. Nobody asks for the end of one op any more, so its column and index go.
 */
const CELLS = `
create table cadre_cell (
  space text collate "C" not null,
  key text collate "C" not null,
  version text not null,
  head text not null,
  body bytea not null,
  put_at timestamptz not null,
  primary key (space, key)
);
insert into cadre_cell
  select 'keys', digest, gen_random_uuid()::text, to_json(value)::text, '', tied_at from cadre_key
  union all
  select 'test-results', id, gen_random_uuid()::text, head, convert_to(body, 'UTF8'), put_at from cadre_tests
  union all
  select 'control', run || '/' || id, 'waited-' || n, '000000000000000-' || lpad(n::text, 6, '0'), convert_to(body, 'UTF8'),
    clock_timestamp() from cadre_control
  union all
  select 'control-claims', run || '/' || id, gen_random_uuid()::text, 'taken waited-' || n, '', clock_timestamp()
    from cadre_control where is_taken;
drop table cadre_key, cadre_tests, cadre_control;

alter table cadre_blob drop constraint cadre_blob_pkey;
alter table cadre_blob rename column digest to key;
alter table cadre_blob rename column bytes to body;
alter table cadre_blob
  add column space text collate "C" not null default 'blobs',
  add column version text not null default gen_random_uuid()::text,
  add column head text not null default '',
  add primary key (space, key);

drop index cadre_event_ended;
alter table cadre_event drop column ended;
drop function cadre_append;
create function cadre_append(
  channel text, runs text[], epochs int[], places int[], counts int[], summaries text, agents text, labels text,
  threads text, outcomes text[], starts bigint[], waits int[], tellings text[],
  event_runs text[], seqs int[], versions smallint[], names text[], bodies text
) returns text[] language plpgsql as $$
declare
  one record;
  held text[] := '{}';
begin
  for one in
    select * from unnest(runs, epochs, places, counts, string_to_array(summaries, E'\\n'), string_to_array(agents, E'\\n', ''),
      string_to_array(labels, E'\\n', ''), string_to_array(threads, E'\\n', ''), outcomes, starts, waits, tellings)
      as t (run, epoch, place, added, summary, agent, label, thread, outcome, started_at, waiting, telling)
  loop
    if one.place = 0 then
      update cadre_run r set events = one.added, summary = one.summary, agent = one.agent, label = one.label,
        thread = one.thread, outcome = one.outcome, started_at = one.started_at, waiting = one.waiting,
        held_by = case when one.outcome is null then r.held_by end
      where r.run = one.run and r.epoch = one.epoch and r.events = 0;
    else
      update cadre_run r set events = one.place + one.added, summary = one.summary, outcome = one.outcome,
        waiting = one.waiting, held_by = case when one.outcome is null then r.held_by end
      where r.run = one.run and r.epoch = one.epoch and r.events = one.place;
    end if;
    if found then
      held := held || one.run;
      if one.telling is not null then
        perform pg_notify(channel, one.telling || ' ' || one.run);
      end if;
    end if;
  end loop;
  insert into cadre_event (run, seq, version, named, body)
    select t.run, t.seq, t.version, string_to_array(t.named, ','), t.body
    from unnest(event_runs, seqs, versions, names, string_to_array(bodies, E'\\n'))
      as t (run, seq, version, named, body)
    where t.run = any(held);
  return held;
end $$;
`;

const SIGN_INS = `
create table cadre_sign_in (
  space text collate "C" not null,
  key text collate "C" not null,
  version text not null,
  head text not null,
  body bytea not null,
  put_at timestamptz not null,
  primary key (space, key)
);
`;

/**
 * The spending of ended runs, in rows that can be summed up: see spending.ts. They come with the end of a run. Runs that have ended
 * before are marked. The function of appends has another name, so a release that does not write these rows ends no run.
 */
const SPENT = `
create table cadre_spent (
  run text collate "C" not null,
  place int not null,
  started_at bigint not null,
  outcome text not null,
  agent text,
  model text,
  is_agents_first boolean,
  is_models_first boolean,
  calls int not null,
  input numeric not null,
  output numeric not null,
  usd numeric,
  unpriced int not null,
  primary key (run, place)
);
create index cadre_spent_started on cadre_spent using brin (started_at);
create index cadre_spent_marked on cadre_spent (run) where place < 0;
insert into cadre_spent (run, place, started_at, outcome, calls, input, output, unpriced)
  select run, -1, coalesce(started_at, 0), outcome, 0, 0, 0, 0 from cadre_run where outcome is not null;

create function cadre_put_spent(spent json, runs text[]) returns void strict language plpgsql as $$
begin
  delete from cadre_spent s using json_to_recordset(spent) as t (run text) where s.run = t.run and t.run = any(runs);
  insert into cadre_spent select t.* from json_to_recordset(spent) as t (run text, place int, started_at bigint, outcome text,
      agent text, model text, is_agents_first boolean, is_models_first boolean, calls int, input numeric, output numeric,
      usd numeric, unpriced int)
    where t.run = any(runs);
end $$;

create function cadre_learn_spent(spent json) returns void language plpgsql as $$
begin
  perform cadre_put_spent(spent, array(select r.run from cadre_run r join json_to_recordset(spent) as t (run text, place int)
    on r.run = t.run and t.place = 0 order by r.run for key share of r));
end $$;

alter function cadre_append rename to cadre_append_events;
`;

const STEPS: readonly string[] = [FIRST, SECOND, TESTS, TAKES, CELLS, SIGN_INS, SPENT];

/** Throws `journal/version` for a database that a newer release has migrated. `to`: as an older release left it. */
export async function migrate(client: ClientBase, shown: string, to = STEPS.length): Promise<void> {
  const known = await versionOf(client);
  if (known === to) return;
  if (known > to) newer(known, shown);
  await client.query('begin');
  try {
    await client.query("select pg_advisory_xact_lock(hashtext('cadre_version'), hashtext(current_schema()))"); // MIGRATION-2
    const from = await versionOf(client);
    if (from > to) newer(from, shown);
    if (from === 0) await client.query('create table if not exists cadre_version (version int not null)');
    for (const step of STEPS.slice(from, to)) await client.query(step);
    await client.query('delete from cadre_version');
    await client.query('insert into cadre_version values ($1)', [to]);
    await client.query('commit');
  } catch (thrown) {
    await client.query('rollback').catch(() => {}); // the first failure is the one to tell
    throw thrown;
  }
}

const IS_THERE = `select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = current_schema() and c.relname = 'cadre_version'`;

/** 0 where there is none. */
async function versionOf(client: ClientBase): Promise<number> {
  const { rows: found } = await client.query(IS_THERE); // to_regclass would miss what was made while we waited for the lock
  if (found.length === 0) return 0;
  const { rows } = await client.query<{ version: number }>('select version from cadre_version');
  return rows[0]?.version ?? 0;
}

const newer = (version: number, shown: string): never =>
  fail(
    'journal/version',
    `The store ${shown} has tables of version ${version}, and this release of Cadre knows up to version ${STEPS.length}. ` +
      'Use the release that migrated it, or a newer one.',
    { version, current: STEPS.length },
  );
