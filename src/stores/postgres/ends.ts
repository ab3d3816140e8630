// The ends of runs, for those who wait for nothing else: a run is not read while it works, and one statement asks about
// all runs that somebody asks about at this moment.

import type { RunEnd, RunId } from '../../journal/event.ts';
import { eventOf } from '../stored-event.ts';
import { Batches } from './batches.ts';
import type { Connections } from './connections.ts';
import type { Statement } from './database.ts';
import type { EventRow } from './events.ts';
import { openWakeSignal } from './wake-signal.ts';

const ENDS: Statement = {
  text: `select r.run, e.seq, e.version, e.body
         from cadre_run r left join cadre_event e on e.run = r.run and e.seq = r.events - 1 and r.outcome is not null
         where r.run = any($1::text[])`,
};

type Ended = Pick<EventRow, 'seq' | 'version' | 'body'> & { readonly run: RunId };

/** Waits for the end of a run. Undefined if the signal is aborted first, or if its end is not its last event. */
export function endsOfRuns({ database, lookout, unknown }: Connections) {
  const asked = new Batches<RunId, Ended | undefined>({
    atOnce: 1,
    most: 500,
    sizeOf: () => 1,
    async send(runs) {
      const rows = await database.query<Ended & Record<string, unknown>>(ENDS, [[...new Set(runs)]]);
      const found = new Map(rows.map((row) => [row.run, row]));
      return runs.map((run) => found.get(run));
    },
  });
  return async (run: RunId, signal: AbortSignal): Promise<RunEnd | undefined> => {
    const bell = openWakeSignal(signal);
    const leave = lookout.wait('end', run, bell.raise);
    try {
      while (!signal.aborted) {
        const row = await asked.add(run);
        if (row === undefined) return await unknown(run);
        if (row.seq !== null) {
          const last = eventOf(run, row);
          return last.type === 'run-end' ? last : undefined; // something was recorded after the end
        }
        await bell.raised();
      }
      return undefined;
    } finally {
      leave();
      bell.close();
    }
  };
}
