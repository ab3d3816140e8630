// Hands runs to workers. A run is placed once it was left to the workers; then any of them may take it while no living
// process holds it, now and after each crash, until it ends.

import type { RunId } from '../../journal/event.ts';
import type { Fleet, WaitingRun, WorkerCard, WorkerState } from '../../journal/store.ts';
import { asKey } from './as-key.ts';
import { claimQueries } from './claim-queries.ts';
import type { Connections } from './connections.ts';
import type { Statement } from './database.ts';
import type { Claims } from './lease.ts';
import { postgresLive } from './live.ts';
import { postgresSlots } from './slots.ts';
import { NO_CONFIG, submitQueries } from './submit-queries.ts';

const OFFER: Statement = {
  name: 'cadre-offer',
  text: `with placed as (
           update cadre_run set is_placed = true, config = $2, needs = $3 where run = $1 returning run)
         select pg_notify($4, 'work') from placed`,
};

const WORKERS: Statement = {
  name: 'cadre-workers',
  text: `select a.name, a.labels, coalesce(a.workspace, '') as workspace, h.takes,
           (select count(*)::int from cadre_run r where r.outcome is null and r.held_by = a.id) as runs
         from cadre_alive a join cadre_holder h using (id) where a.kind = 'worker' order by a.name`,
};

const WAITING: Statement = {
  name: 'cadre-waiting',
  text: `select run, config, needs from cadre_run where run = any($1::text[]) and is_placed and outcome is null
           and (held_by is null or held_by <> all (array(select id from cadre_alive)))`,
};

interface WorkerRow extends Pick<WorkerState, 'name' | 'labels' | 'workspace' | 'runs'> {
  readonly takes: string | null;
  readonly [column: string]: unknown;
}

interface WaitingRow {
  readonly run: RunId;
  readonly config: string | null;
  readonly needs: string | null;
  readonly [column: string]: unknown;
}

/** The fields of a card that have no column of their own. */
type CardLimits = Pick<WorkerCard, 'most' | 'agents' | 'pinned' | 'refused'>;

const workerOf = ({ takes, ...row }: WorkerRow): WorkerState => ({
  ...row,
  ...(takes !== null && (JSON.parse(takes) as CardLimits)),
});

const waitingOf = ({ config, needs }: WaitingRow): WaitingRun => ({
  needs: {
    ...(config !== null && config !== NO_CONFIG && { config }),
    ...(needs !== null && { label: JSON.parse(needs) as string }),
  },
});

export function postgresFleet(parts: Connections & { readonly leases: Claims }): Fleet {
  const { database, session, lookout, unknown } = parts;
  let labels: readonly string[] = [];
  const take = claimQueries(parts);
  return {
    submit: submitQueries(database, () => session.channel('work')),
    async offer(run, { config = NO_CONFIG, label }) {
      const channel = await session.channel('work');
      const [placed] = await database.query(OFFER, [run, config, asKey(label), channel]);
      if (placed === undefined) await unknown(run);
    },
    async join({ name, workspace, labels: given, ...takes }) {
      labels = given;
      lookout.listen();
      await session.introduce({
        name,
        labels,
        workspace,
        takes: JSON.stringify(takes satisfies CardLimits),
        kind: 'worker',
      });
    },
    take: (request) => take(request, labels),
    onWork: (told) => lookout.on('work', told),
    workers: async () => (await database.query<WorkerRow>(WORKERS)).map(workerOf),
    async waiting(runs) {
      const rows = await database.query<WaitingRow>(WAITING, [runs]);
      return new Map(rows.map((row) => [row.run, waitingOf(row)]));
    },
    slot: postgresSlots(parts),
    live: postgresLive(parts),
  };
}
