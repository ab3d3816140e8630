// Reading the events of a run from the cells of its object, and following it. A handler reads them; if no worker answers,
// a query does, which is slower and needs none.

import { setTimeout } from 'node:timers/promises';
import { present } from '../../base/text/present.ts';
import type { RunEnd, RunEvent, RunId, RunStart } from '../../journal/event.ts';
import { eventOf, type Unknown } from '../stored-event.ts';
import type { RecordedSummary } from '../summary.ts';
import type { RestateClient } from './client.ts';
import { isEventsCell, RUN, seqOfCell } from './wire.ts';

/** The answer of the handler `head`. */
export interface RunHead {
  /** Absent if nothing is recorded of the run. */
  readonly summary?: RecordedSummary;
  readonly at?: string;
  readonly epoch: number;
}

/** The answer of the handler `read` before the cells, whose texts follow one another. */
export interface PartHead {
  /** Something is recorded of the run. */
  readonly isKnown: boolean;
  /** The length of the text of each cell. */
  readonly lengths: readonly number[];
  /** The beginning of the next part, if there is more. */
  readonly next?: number;
}

export interface EventReads {
  readonly client: RestateClient;
  readonly unknown: Unknown;
  /** True if this process has claimed the run and may not have written anything. */
  isHeld(run: RunId): boolean;
  /** The beginning of a run that this process submitted, until a worker has recorded it. */
  readonly submitted: Map<RunId, RunStart>;
}

export async function headOf(client: RestateClient, run: RunId): Promise<RunHead> {
  return client.readOr(
    async (answerMs) => JSON.parse(await client.text([RUN, run, 'head'], '', { answerMs })) as RunHead,
    () => headByQuery(client, run),
  );
}

async function headByQuery(client: RestateClient, run: RunId): Promise<RunHead> {
  const cells = await cellsOf(client, run, "key in ('s', 'at', 'epoch')");
  const summary = cells.get('s');
  const at = cells.get('at');
  return {
    ...present({ summary: summary === undefined ? undefined : (JSON.parse(summary) as RecordedSummary), at }),
    epoch: Number(cells.get('epoch') ?? 0),
  };
}

/** A run id holds nothing that SQL could mistake. */
async function cellsOf(client: RestateClient, run: RunId, which: string): Promise<ReadonlyMap<string, string>> {
  const rows = await client.queryAgain<{ readonly key: string; readonly value_utf8: string }>(
    `select key, value_utf8 from state where service_name = '${RUN}' and service_key = '${run}' and ${which}`,
  );
  return new Map(rows.map((row) => [row.key, row.value_utf8]));
}

async function partOf(
  client: RestateClient,
  run: RunId,
  from: number,
): Promise<{ readonly isKnown: boolean; readonly cells: readonly string[]; readonly next?: number }> {
  return client.readOr(
    async (answerMs) => {
      const text = await client.text([RUN, run, 'read'], String(from), { answerMs });
      const end = text.indexOf('\n');
      const { lengths, ...head } = JSON.parse(text.slice(0, end)) as PartHead;
      let place = end + 1;
      const cells = lengths.map((length) => text.slice(place, (place += length)));
      return { ...head, cells };
    },
    () => partByQuery(client, run),
  );
}

async function partByQuery(client: RestateClient, run: RunId) {
  const cells = await cellsOf(client, run, "key like 'e%'");
  const names = [...cells.keys()].filter(isEventsCell).sort((one, other) => seqOfCell(one) - seqOfCell(other));
  return { isKnown: names.length > 0, cells: names.map((name) => cells.get(name) as string) };
}

/** The events of one cell. */
export function eventsIn(run: RunId, cell: string): readonly RunEvent[] {
  const [version = '', ...lines] = cell.split('\n');
  return lines.map((body) => eventOf(run, { seq: null, version: Number(version), body }));
}

export async function* readRun(
  { client, unknown, isHeld, submitted }: EventReads,
  run: RunId,
  from: number,
): AsyncGenerator<RunEvent> {
  for (let next: number | undefined = from; next !== undefined; ) {
    const start = submitted.get(run); // before we ask, because another reader may find it recorded meanwhile
    const part = await partOf(client, run, next);
    if (part.isKnown) submitted.delete(run);
    else if (start !== undefined && from === 0) yield start;
    else if (start === undefined && !isHeld(run)) await unknown(run);
    for (const cell of part.cells) for (const event of eventsIn(run, cell)) if (event.seq >= from) yield event;
    ({ next } = part);
  }
}

/** Nothing tells a process outside of new events, so it looks: soon after the last ones, then less often. */
const LOOK_MS: readonly number[] = [20, 40, 80, 150, 250, 250, 250, 250, 500, 500, 1000];

export async function* followCells(
  reading: EventReads,
  run: RunId,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  let next = from;
  for (let idle = 0; !signal.aborted; idle++) {
    let last: RunEvent | undefined;
    // one event before, so that a run that ended there is known to have ended
    for await (const event of readRun(reading, run, Math.max(0, next - 1))) {
      if (event.type === 'run-end' && event.seq < next) return;
      last = event;
      if (event.seq < next) continue;
      next = event.seq + 1;
      idle = 0;
      yield event;
      if (event.type === 'run-end') return;
      if (signal.aborted) return;
    }
    if (last === undefined && (await hasEnded(reading.client, run))) return;
    await setTimeout(LOOK_MS[Math.min(idle, LOOK_MS.length - 1)], undefined, { signal }).catch(() => {}); // it was aborted
  }
}

/** True if the run has ended, for one who follows from beyond the last event. */
const hasEnded = async (client: RestateClient, run: RunId): Promise<boolean> =>
  (await headOf(client, run)).summary?.outcome !== undefined;

/**
 * Waits for the end alone, so that a run is not read while it works. `offered` is the invocation that was made for the
 * run, if this process knows it. Undefined also if the end is not the last event.
 */
export async function runEnding(
  { client, unknown, isHeld, submitted }: EventReads,
  run: RunId,
  signal: AbortSignal,
  offered: string | undefined,
): Promise<RunEnd | undefined> {
  let attach = offered;
  for (let idle = 0; !signal.aborted; idle++) {
    const line = attach === undefined ? undefined : await client.attached(attach, signal);
    if (line !== undefined && line !== '') {
      const [last] = eventsIn(run, line);
      if (last?.type === 'run-end') return last;
    }
    const before = attach;
    const isKnown = isHeld(run) || submitted.has(run);
    const { summary, at } = await headOf(client, run);
    if (summary === undefined && !isKnown) return await unknown(run);
    if (summary?.outcome !== undefined) {
      const part = await partOf(client, run, summary.events - 1);
      const last = part.cells.flatMap((cell) => eventsIn(run, cell)).at(-1);
      return last?.type === 'run-end' ? last : undefined; // something was recorded after the end
    }
    attach = at === before ? undefined : at;
    if (attach === undefined)
      await setTimeout(LOOK_MS[Math.min(idle, LOOK_MS.length - 1)], undefined, { signal }).catch(() => {}); // it was aborted
  }
  return undefined;
}
