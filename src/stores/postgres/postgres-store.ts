// Keeps runs in a Postgres database, for many processes on many machines. It is opened when it is first used.
// postgres/migrations.ts has the tables.

import type { RunId } from '../../journal/event.ts';
import type { Log } from '../../journal/log.ts';
import { wholeTextFleet, wholeTextLog } from '../../journal/repeats/whole-texts.ts';
import type { RunCatalog } from '../../journal/run-catalog.ts';
import { checkRunId } from '../../journal/run-names.ts';
import { runStore } from '../../journal/run-store.ts';
import type { RunStore } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { postgresCells } from './cells.ts';
import type { Connections } from './connections.ts';
import { Database, type Statement } from './database.ts';
import { endsOfRuns } from './ends.ts';
import { followEvents, readEvents } from './events.ts';
import { postgresFleet } from './fleet.ts';
import { claims } from './lease.ts';
import { postgresListing } from './listing.ts';
import { RunWatcher } from './run-watcher.ts';
import { HolderSession } from './session.ts';
import { postgresSpending } from './spending.ts';

export interface PostgresStoreOptions {
  /** The number of connections that statements are spread over, beside the one that listens. */
  readonly connections?: number;
  /** The time for which an outage of the database is waited out, in milliseconds. */
  readonly waitMs?: number;
  readonly warn?: (text: string) => void;
}

const TAKE_OVER: Statement = {
  name: 'cadre-take-over',
  text: 'update cadre_run set epoch = epoch + 1, held_by = null where run = $1 returning run',
};

/** Writes nothing while a process that is alive holds the run. */
const REMOVE: Statement = {
  name: 'cadre-remove',
  text: `with gone as (
           delete from cadre_run where run = $1
             and (held_by is null or held_by <> all (array(select id from cadre_alive))) returning run),
         events as (delete from cadre_event e using gone where e.run = gone.run),
         spent as (delete from cadre_spent s using gone where s.run = gone.run)
         select pg_notify($2, 'events ' || run) from gone`,
};

/** Removes the leavings of processes that died before the first event of a run, or that are gone for a day. */
const TIDY: Statement = {
  name: 'cadre-tidy',
  text: `with unbegun as (
           delete from cadre_run where events = 0 and held_by <> all (array(select id from cadre_alive))),
         unheld as (
           delete from cadre_slot where held_by <> all (array(select id from cadre_alive)))
         delete from cadre_holder where seen_at < clock_timestamp() - interval '1 day'
           and not exists (select 1 from cadre_run r where r.held_by = cadre_holder.id and r.outcome is null)`,
};

const DIGESTS: Statement = {
  name: 'cadre-digests',
  text: 'select distinct unnest(named) as digest from cadre_event where named is not null',
};
const LONG_MS = 600_000;

const HAS: Statement = { name: 'cadre-has', text: 'select 1 from cadre_run where run = $1' };

export function postgresStore(address: string, options: PostgresStoreOptions = {}): RunStore {
  const { warn = (text: string) => process.emitWarning(text, 'CadreWarning') } = options;
  const database = new Database(address, { ...options, warn });
  const session = new HolderSession(database);
  const lookout = new RunWatcher(database, session);
  const { list, look, one, find, unknown, counting } = postgresListing(database);
  const connections: Connections = { database, session, lookout, unknown, warn };
  const leases = claims(connections);
  const ended = endsOfRuns(connections);

  const log: Log = {
    claim: async (run, expectedSeq) => leases.claim(checkRunId(run), expectedSeq),
    async takeOver(run) {
      const [taken] = await database.query(TAKE_OVER, [checkRunId(run)]);
      if (taken === undefined) await unknown(run);
      leases.forget(run);
    },
    async *read(run, fromSeq = 0) {
      yield* readEvents(connections, checkRunId(run), fromSeq);
    },
    async *follow(run, fromSeq, signal) {
      yield* followEvents(connections, checkRunId(run), fromSeq, signal);
    },
    end: async (run, signal) => ended(checkRunId(run), signal),
    async remove(run) {
      const [gone] = await database.query(REMOVE, [checkRunId(run), await session.channel('runs')]);
      if (gone === undefined) refuseRemoval(run, (await one(run)).state);
    },
    async digests() {
      const rows = await database.query<{ digest: string }>(DIGESTS, [], LONG_MS);
      return new Set(rows.map(({ digest }) => digest));
    },
    async sweep() {
      await database.query(TIDY, [], LONG_MS);
    },
  };
  const catalog: RunCatalog = {
    list,
    ...postgresSpending(database, look),
    counting,
    summary: async (run) => one(checkRunId(run)),
    find,
    has: async (run) => (await database.query(HAS, [checkRunId(run)])).length > 0,
    unknown,
  };
  const store = runStore({
    log: wholeTextLog(log),
    runs: catalog,
    cells: postgresCells(connections),
    fleet: wholeTextFleet(postgresFleet({ ...connections, leases })),
    now: () => Date.now() + database.aheadMs,
    async close() {
      database.stopWaiting();
      lookout.close();
      await session.close();
      await database.close();
    },
    warn,
  });
  return {
    ...store,
    async collect({ before, ...options }) {
      await database.open(); // which tells how far the clocks differ
      return store.collect({ ...options, before: before + database.aheadMs });
    },
  };
}

function refuseRemoval(run: RunId, state: string): never {
  fail('run/locked', `Run ${run} is ${state}: a process works on it. Cancel it first: cadre runs cancel ${run}`);
}
