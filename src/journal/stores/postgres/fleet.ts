// Hands runs to workers. A run is placed once it was left to the workers; then any of them may take it while no living
// process holds it, now and after each crash, until it ends.

import type { Fleet, WorkerState } from '../../store.ts';
import type { ControlParts } from './control.ts';
import type { Statement } from './database.ts';
import { asKey } from './lease.ts';
import { postgresLive } from './live.ts';
import { postgresSlots } from './slots.ts';

const OFFER: Statement = {
  name: 'cadre-offer',
  text: `with placed as (
           update cadre_run set is_placed = true, config = $2, needs = $3 where run = $1 returning run)
         select pg_notify($4, 'work') from placed`,
};

/** Oldest first. A run that another worker is taking at this moment is passed over. */
const TAKE: Statement = {
  name: 'cadre-take',
  text: `with open as (
           select run from cadre_run
           where is_placed and outcome is null and events > 0
             and (held_by is null or held_by <> all (array(select id from cadre_alive)))
             and (needs is null or needs = any($2::text[]))
             and ($3::text[] is null or agent = any($3::text[]))
             and ($4::text is null or config = $4)
             and run <> all ($5::text[])
           order by run limit $6 for update skip locked)
         update cadre_run r set held_by = $1, epoch = epoch + 1 from open where r.run = open.run returning r.run`,
};

const GIVE_BACK: Statement = {
  name: 'cadre-give-back',
  text: 'update cadre_run set held_by = null where run = $1 and held_by = $2',
};

const WORKERS: Statement = {
  name: 'cadre-workers',
  text: `select a.name, a.labels, coalesce(a.workspace, '') as workspace,
           (select count(*)::int from cadre_run r where r.outcome is null and r.held_by = a.id) as runs
         from cadre_alive a where a.kind = 'worker' order by a.name`,
};

/** In place of the digest of a cadre.yaml, for a run that pinned none. */
const NO_CONFIG = 'none';

export function postgresFleet(parts: ControlParts): Fleet {
  const { database, session, lookout, unknown } = parts;
  let labels: readonly string[] = [];
  return {
    async offer(run, { config = NO_CONFIG, label }) {
      const channel = await session.channel('told');
      const [placed] = await database.query(OFFER, [run, config, asKey(label), channel]);
      if (placed === undefined) await unknown(run);
    },
    async join(card) {
      labels = card.labels;
      lookout.listen();
      await session.introduce({ ...card, kind: 'worker' });
    },
    async take({ most, agents, pinned, except }) {
      const config = pinned === undefined ? null : (pinned.config ?? NO_CONFIG);
      const rows = await database.query<{ run: string }>(TAKE, [
        await session.holder(),
        labels.map(asKey),
        agents?.map(asKey) ?? null,
        config,
        except,
        most,
      ]);
      return rows.map(({ run }) => run).sort();
    },
    async giveBack(run) {
      await database.query(GIVE_BACK, [run, await session.holder()]);
    },
    onWork: (told) => lookout.on('work', told),
    workers: () => database.query<WorkerState & Record<string, unknown>>(WORKERS),
    slot: postgresSlots(parts),
    live: postgresLive(parts),
  };
}
