// Lists runs by one query on the cells that hold summaries. It needs no worker, and takes longer the more is kept.
// LIST-1. A run without an end that no worker has now may have ended between the two looks, so it is looked at once more.

import type { RunId, RunStart } from '../../journal/event.ts';
import { matchRun, unknownRun } from '../../journal/run-names.ts';
import type { RunQuery, RunSummary } from '../../journal/store.ts';
import { indexCounting } from '../index-counting.ts';
import type { Unknown } from '../stored-event.ts';
import {
  countAgain,
  emptySummary,
  fits,
  isAfter,
  isWhole,
  newestFirst,
  type RecordedSummary,
  summaryFold,
  summaryOf,
} from '../summary.ts';
import type { RestateClient } from './client.ts';
import { type EventReads, headOf, readRun } from './events.ts';
import { type InvocationState, placedByRun, placedOf } from './state.ts';
import { RUN } from './wire.ts';

interface RunCellRow {
  readonly service_key: RunId;
  readonly key: string;
  readonly value_utf8: string;
}

/** So many runs are counted again without anybody waiting for it. */
const FEW = 50;

export function restateListing(client: RestateClient, { isHeld, submitted }: Pick<EventReads, 'isHeld' | 'submitted'>) {
  const counting = indexCounting(FEW);
  const again = new Map<string, RecordedSummary>();
  const ids = async (): Promise<readonly RunId[]> => {
    const rows = await client.query<RunCellRow>(
      `select service_key from state where service_name = '${RUN}' and key = 's'`,
    );
    return rows.map((row) => row.service_key).sort(newestFirst);
  };
  const unknown: Unknown = async (run) => unknownRun(run, await ids());
  const shown = (recorded: RecordedSummary, placed: InvocationState): RunSummary => {
    const summary = summaryOf(recorded, () => placed === 'running' || isHeld(recorded.run));
    return summary.state === 'broken-off' && placed === 'queued' ? { ...summary, queued: true } : summary;
  };
  /** A count of an earlier release is made again, once by each process: only a worker can write it. */
  const whole = async (tallies: readonly RecordedSummary[]): Promise<readonly RecordedSummary[]> => {
    const keyOf = ({ run, events }: RecordedSummary): string => `${run} ${events}`;
    const old = tallies.filter((tally) => !isWhole(tally) && !again.has(keyOf(tally)));
    const ended = counting.begin(old.length);
    try {
      for (const tally of old) {
        const events = readRun({ client, unknown, isHeld, submitted }, tally.run, 0);
        again.set(keyOf(tally), await countAgain(tally, events));
        counting.did();
      }
    } finally {
      ended();
    }
    return tallies.map((tally) => again.get(keyOf(tally)) ?? tally);
  };
  /** LIST-1 */
  const endedMeanwhile = async (
    found: readonly RecordedSummary[],
    placed: ReadonlyMap<RunId, InvocationState>,
  ): Promise<ReadonlyMap<RunId, RecordedSummary>> => {
    const open = found.filter(
      ({ run, outcome }) => outcome === undefined && placed.get(run) !== 'running' && !isHeld(run),
    );
    if (open.length === 0) return new Map();
    const named = open.map(({ run }) => `'${run}'`).join(', ');
    const rows = await client.query<RunCellRow>(
      `select service_key, value_utf8 from state where service_name = '${RUN}' and key = 's' and service_key in (${named})`,
    );
    return new Map(rows.map((row) => [row.service_key, JSON.parse(row.value_utf8) as RecordedSummary]));
  };
  return {
    unknown,
    counting: counting.progress,
    async list(query: RunQuery): Promise<readonly RunSummary[]> {
      const { limit = Number.POSITIVE_INFINITY, text } = query;
      const cells = text === undefined ? "key = 's'" : "key in ('s', 'q')";
      const rows = await client.query<RunCellRow>(
        `select service_key, key, value_utf8 from state where service_name = '${RUN}' and ${cells}`,
      );
      const asked = new Map(rows.filter(({ key }) => key === 'q').map((row) => [row.service_key, row.value_utf8]));
      const recorded = rows
        .filter(({ key, service_key: run }) => key === 's' && isAfter(run, query))
        .sort((one, other) => newestFirst(one.service_key, other.service_key))
        .map((row) => JSON.parse(row.value_utf8) as RecordedSummary);
      const found = await whole(recorded);
      const isOpen = found.some(({ outcome }) => outcome === undefined);
      const placed = isOpen ? await placedByRun(client) : new Map<RunId, InvocationState>();
      const ended = await endedMeanwhile(found, placed);
      const listed: RunSummary[] = [];
      for (const recorded of found) {
        if (listed.length >= limit) break;
        const one = ended.get(recorded.run) ?? recorded;
        const summary = shown(one, placed.get(one.run) ?? 'none');
        if (fits(summary, query, () => asked.get(one.run) ?? '')) listed.push(summary);
      }
      return listed;
    },
    /** Throws `run/unknown`. */
    async one(run: RunId): Promise<RunSummary> {
      const start = submitted.get(run);
      const { summary: stored, at } = await headOf(client, run);
      if (stored === undefined) return submittedSummary(start) ?? (await unknown(run));
      const [summary = stored] = await whole([stored]);
      const placed = summary.outcome !== undefined ? 'none' : await placedOf(client, run, at);
      if (placed === 'running' || summary.outcome !== undefined) return shown(summary, placed);
      return shown((await headOf(client, run)).summary ?? summary, placed); // LIST-1
    },
    async find(name: string): Promise<RunId> {
      const known = await ids();
      const [last] = known;
      return name === 'last' && last !== undefined ? last : matchRun(name, known);
    },
  };
}

/** The summary of a run that waits for its first worker. */
function submittedSummary(start: RunStart | undefined): RunSummary | undefined {
  if (start === undefined) return undefined;
  const { tally, add } = summaryFold(emptySummary(start.run));
  add(start);
  return { ...summaryOf(tally, () => false), queued: true };
}
