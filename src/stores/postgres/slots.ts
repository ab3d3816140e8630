// Slots that all processes of a store share: how many calls a provider takes at the same time. A slot is a row; the rows
// of a process that is gone count as free.

import { createHash, randomUUID } from 'node:crypto';
import type { Fleet } from '../../journal/store.ts';
import type { Connections } from './connections.ts';
import type { Statement } from './database.ts';

/** Repeated after a broken connection, it finds the slot that the broken one took. */
const TAKE: Statement = {
  name: 'cadre-take-slot',
  text: `with mine as (select slot from cadre_slot where key = $1 and holding = $4),
         free as (
           select s from generate_series(1, $2::int) as s
           where not exists (select 1 from mine) and not exists (
             select 1 from cadre_slot t where t.key = $1 and t.slot = s and t.held_by = any (array(select id from cadre_alive)))
           order by random() limit 1),
         taken as (
           insert into cadre_slot (key, slot, held_by, holding) select $1, s, $3, $4 from free
           on conflict (key, slot) do update set held_by = excluded.held_by, holding = excluded.holding
             where cadre_slot.held_by <> all (array(select id from cadre_alive)) returning slot)
         select slot from mine union all select slot from taken`,
};

const FREE: Statement = {
  name: 'cadre-free-slot',
  text: `with gone as (delete from cadre_slot where key = $1 and holding = $2 returning key)
         select pg_notify($3, 'slot ' || key) from gone`,
};

/** Being told of a free slot is a hint; we also look. */
const LOOK_MS = 250;

export function postgresSlots({ database, session, lookout, warn }: Connections): NonNullable<Fleet['slot']> {
  return async (name, count, signal) => {
    const key = createHash('sha256').update(name).digest('hex').slice(0, 16);
    const holding = randomUUID();
    const free = (): void => {
      const freed = session.channel('told').then((channel) => database.query(FREE, [key, holding, channel]));
      freed.catch((thrown: unknown) =>
        warn(`A slot of ${name} stays taken until this process ends: ${String(thrown)}`),
      );
    };
    for (;;) {
      signal.throwIfAborted();
      const [taken] = await database.query(TAKE, [key, count, await session.holder(), holding]);
      if (taken !== undefined && !signal.aborted) return free;
      if (taken !== undefined) free();
      else await changed(key, signal);
    }
  };

  /** Settles when a slot may be free, or with the signal. */
  function changed(key: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        leave();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, LOOK_MS);
      const leave = lookout.on('slot', (freed) => {
        if (freed === key) end();
      });
      signal.addEventListener('abort', end);
    });
  }
}
