// Reading the events of a run, and following it. Each row says under which version of the events it was written.

import type { RunEvent, RunId } from '../../journal/event.ts';
import { eventOf, type StoredEvent } from '../stored-event.ts';
import type { Connections } from './connections.ts';
import type { Statement } from './database.ts';
import { openWakeSignal } from './wake-signal.ts';

/** The number of events that come with one statement. */
const AT_ONCE = 500;

const PART: Statement = {
  name: 'cadre-part',
  text: `select r.events, r.outcome is not null as ended, e.seq, e.version, e.body
         from cadre_run r left join lateral (
           select seq, version, body from cadre_event e where e.run = r.run and e.seq >= $2 order by e.seq limit ${AT_ONCE}
         ) e on true
         where r.run = $1 order by e.seq`,
};

export interface EventRow extends StoredEvent {
  readonly events: number;
  readonly ended: boolean;
  readonly [column: string]: unknown;
}

export async function* readEvents(
  { database, unknown }: Pick<Connections, 'database' | 'unknown'>,
  run: RunId,
  fromSeq: number,
): AsyncGenerator<RunEvent> {
  for (let next = fromSeq; ; ) {
    const rows = await database.query<EventRow>(PART, [run, next]);
    if (rows.length === 0) await unknown(run);
    for (const row of rows) {
      if (row.seq === null) return;
      next = row.seq + 1;
      yield eventOf(run, row);
    }
    if (rows.length < AT_ONCE) return;
  }
}

export async function* followEvents(
  { database, lookout, unknown }: Connections,
  run: RunId,
  fromSeq: number,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  if (signal.aborted) return;
  const bell = openWakeSignal(signal);
  const leave = lookout.wait('events', run, bell.raise);
  try {
    for (let next = fromSeq; !signal.aborted; ) {
      const rows = await database.query<EventRow>(PART, [run, next]);
      const [first] = rows;
      if (first === undefined) return await unknown(run);
      for (const row of rows) {
        if (row.seq === null || signal.aborted) break;
        const event = eventOf(run, row);
        next = row.seq + 1;
        yield event;
        if (event.type === 'run-end') return;
      }
      if (first.ended && next >= first.events) return;
      if (rows.length < AT_ONCE && !signal.aborted) await bell.raised();
    }
  } finally {
    leave();
    bell.close();
  }
}
