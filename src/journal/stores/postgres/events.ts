// Reading the events of a run, and following it. Each row says under which version of the events it was written.

import { fail } from '../../../kernel/fault.ts';
import type { OpPath } from '../../../kernel/path.ts';
import { EVENT_VERSION, type OpEnd, type RunEvent, type RunId } from '../../event.ts';
import { upcaster } from '../../upcast.ts';
import { parseEvent } from '../file/log.ts';
import { openBell } from './bell.ts';
import type { Database, Statement } from './database.ts';
import type { Lookout } from './lookout.ts';

/** How many events come with one statement. */
const AT_ONCE = 500;

const PART: Statement = {
  name: 'cadre-part',
  text: `select r.events, r.outcome is not null as ended, e.seq, e.version, e.body
         from cadre_run r left join lateral (
           select seq, version, body from cadre_event e where e.run = r.run and e.seq >= $2 order by e.seq limit ${AT_ONCE}
         ) e on true
         where r.run = $1 order by e.seq`,
};

const OP_END: Statement = {
  name: 'cadre-op-end',
  text: `select r.events, e.seq, e.version, e.body
         from cadre_run r left join lateral (
           select seq, version, body from cadre_event e where e.run = r.run and e.ended = $2 order by e.seq limit 1
         ) e on true
         where r.run = $1`,
};

export interface EventRow {
  readonly events: number;
  readonly ended: boolean;
  /** Null where there is no event. */
  readonly seq: number | null;
  readonly version: number;
  readonly body: string;
  readonly [column: string]: unknown;
}

/** `unknown` throws `run/unknown`. */
export type Unknown = (run: RunId) => Promise<never>;

export async function* readEvents(
  database: Database,
  run: RunId,
  fromSeq: number,
  unknown: Unknown,
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
  { database, lookout }: { readonly database: Database; readonly lookout: Lookout },
  run: RunId,
  fromSeq: number,
  signal: AbortSignal,
  unknown: Unknown,
): AsyncGenerator<RunEvent> {
  if (signal.aborted) return;
  const bell = openBell(signal);
  const leave = lookout.wait('events', run, bell.ring);
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
      if (rows.length < AT_ONCE && !signal.aborted) await bell.rung();
    }
  } finally {
    leave();
    bell.close();
  }
}

export async function endOfOp(
  database: Database,
  run: RunId,
  path: OpPath,
  unknown: Unknown,
): Promise<OpEnd | undefined> {
  const [row] = await database.query<EventRow>(OP_END, [run, path]);
  if (row === undefined) return await unknown(run);
  return row.seq === null ? undefined : (eventOf(run, row) as OpEnd);
}

export function eventOf(run: RunId, { seq, version, body }: Pick<EventRow, 'seq' | 'version' | 'body'>): RunEvent {
  const event = parsed(run, seq, body);
  if (version === EVENT_VERSION) return event;
  const upcast = upcaster();
  upcast({ type: 'run-resume', seq: 0, at: 0, version }); // what follows it is of that version
  return upcast(event);
}

function parsed(run: RunId, seq: number | null, body: string): RunEvent {
  try {
    return parseEvent(body);
  } catch (thrown) {
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    return fail('journal/corrupt', `Event ${seq} of run ${run} cannot be read: ${what}.`, { run, seq });
  }
}
