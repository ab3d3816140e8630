// Hands runs to workers. A run is placed once it was left to the workers; then any of them may take it while no living
// process holds it, now and after each crash, until it ends.

import type { Fleet, WorkerState } from '../../store.ts';
import { asKey } from './appends.ts';
import type { Statement } from './database.ts';
import { postgresLive } from './live.ts';
import { postgresSlots } from './slots.ts';
import { NO_CONFIG, postgresSubmits } from './submits.ts';
import { postgresTakes, type TakeParts } from './takes.ts';

const OFFER: Statement = {
  name: 'cadre-offer',
  text: `with placed as (
           update cadre_run set is_placed = true, config = $2, needs = $3 where run = $1 returning run)
         select pg_notify($4, 'work') from placed`,
};

const WORKERS: Statement = {
  name: 'cadre-workers',
  text: `select a.name, a.labels, coalesce(a.workspace, '') as workspace,
           (select count(*)::int from cadre_run r where r.outcome is null and r.held_by = a.id) as runs
         from cadre_alive a where a.kind = 'worker' order by a.name`,
};

export function postgresFleet(parts: TakeParts): Fleet {
  const { database, session, lookout, unknown } = parts;
  let labels: readonly string[] = [];
  const take = postgresTakes(parts);
  return {
    submit: postgresSubmits(database, () => session.channel('work')),
    async offer(run, { config = NO_CONFIG, label }) {
      const channel = await session.channel('work');
      const [placed] = await database.query(OFFER, [run, config, asKey(label), channel]);
      if (placed === undefined) await unknown(run);
    },
    async join(card) {
      labels = card.labels;
      lookout.listen();
      await session.introduce({ ...card, kind: 'worker' });
    },
    take: (request) => take(request, labels),
    onWork: (told) => lookout.on('work', told),
    workers: () => database.query<WorkerState & Record<string, unknown>>(WORKERS),
    slot: postgresSlots(parts),
    live: postgresLive(parts),
  };
}
