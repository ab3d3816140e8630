// Keeps runs in a Postgres database, for many processes on many machines. It is opened when it is first used.
// postgres/migrations.ts has the tables.

import { fail } from '../../kernel/fault.ts';
import type { RunId } from '../event.ts';
import { checkRunId } from '../run-names.ts';
import type { RunStore } from '../store.ts';
import { collectBlobs, postgresBlobs } from './postgres/blobs.ts';
import { postgresControl } from './postgres/control.ts';
import { Database, type Statement } from './postgres/database.ts';
import { endsOfRuns } from './postgres/ends.ts';
import { followEvents, readEvents } from './postgres/events.ts';
import { postgresFleet } from './postgres/fleet.ts';
import { tieKey } from './postgres/keys.ts';
import { claims } from './postgres/lease.ts';
import { postgresListing } from './postgres/listing.ts';
import { Lookout } from './postgres/lookout.ts';
import { Session } from './postgres/session.ts';
import { postgresTests } from './postgres/tests.ts';

export interface PostgresStoreOptions {
  /** How many connections statements are spread over, beside the one that listens. */
  readonly connections?: number;
  /** How long an outage of the database is waited out, in milliseconds. */
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
         control as (delete from cadre_control c using gone where c.run = gone.run)
         select pg_notify($2, 'events ' || run) from gone`,
};

export function postgresStore(address: string, options: PostgresStoreOptions = {}): RunStore {
  const { warn = (text: string) => process.emitWarning(text, 'CadreWarning') } = options;
  const database = new Database(address, { ...options, warn });
  const session = new Session(database);
  const lookout = new Lookout(database, session);
  const { list, one, find, unknown } = postgresListing(database);
  const leases = claims({ database, session, lookout, unknown });
  const listening = { database, lookout };
  const ended = endsOfRuns({ database, lookout, unknown });

  return {
    claim: async (run, expectedSeq) => leases.claim(checkRunId(run), expectedSeq),
    async takeOver(run) {
      const [taken] = await database.query(TAKE_OVER, [checkRunId(run)]);
      if (taken === undefined) await unknown(run);
      leases.forget(run);
    },
    async *read(run, fromSeq = 0) {
      yield* readEvents(database, checkRunId(run), fromSeq, unknown);
    },
    async *follow(run, fromSeq, signal) {
      yield* followEvents(listening, checkRunId(run), fromSeq, signal, unknown);
    },
    end: async (run, signal) => ended(checkRunId(run), signal),
    list: (query = {}) => list(query),
    summary: async (run) => one(checkRunId(run)),
    find,
    async remove(run) {
      const [gone] = await database.query(REMOVE, [checkRunId(run), await session.channel('runs')]);
      if (gone === undefined) refuseRemoval(run, (await one(run)).state);
    },
    collect: (given) => collectBlobs(database, given),
    tie: (key, value) => tieKey(database, key, value),
    blobs: postgresBlobs(database),
    control: postgresControl({ database, session, lookout, unknown, warn }),
    tests: postgresTests(database),
    fleet: postgresFleet({ database, session, lookout, unknown, warn, leases }),
    now: () => Date.now() + database.aheadMs,
    async close() {
      database.stopWaiting();
      lookout.close();
      await session.close();
      await database.close();
    },
  };
}

function refuseRemoval(run: RunId, state: string): never {
  fail('run/locked', `Run ${run} is ${state}: a process works on it. Cancel it first: cadre runs cancel ${run}`);
}
