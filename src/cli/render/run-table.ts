// The list of runs as a table.

import type { RunId } from '../../journal/event.ts';
import type { RunNote, RunSummary } from '../../journal/store.ts';
import * as amounts from '../../views/amounts.ts';
import { badBelow, runStanding, standingWord } from '../../views/runs/run-standing.ts';
import { type Column, table } from './table.ts';
import { oneLine } from './width.ts';

interface RunColumn extends Column {
  of(run: RunSummary, now: number): string;
  /** Left out if there is no room for all. */
  readonly spare?: true;
}

const COLUMNS: readonly RunColumn[] = [
  { title: 'RUN', of: ({ run }) => run },
  { title: 'AGENT', of: ({ agent }) => agent },
  { title: 'STATE', of: stateOf },
  { title: 'STARTED', spare: true, of: ({ startedAt }, now) => amounts.moment(startedAt, now) },
  { title: 'TIME', align: 'right', of: timeOf },
  { title: 'COST', align: 'right', of: costOf },
];

const SIZES: readonly RunColumn[] = [
  { title: 'EVENTS', align: 'right', of: ({ events }) => String(events) },
  { title: 'SIZE', align: 'right', of: ({ bytes }) => amounts.bytes(bytes) },
];

/** Shown if a worker has one of the runs. */
const WORKER: RunColumn = { title: 'WORKER', of: ({ worker = '' }) => worker };

const INPUT: RunColumn = { title: 'INPUT', flexible: true, of: ({ input }) => oneLine(input.text) };

/**
 * The width from which on there is room for all columns. A narrow table omits the start, which is in the run's id too.
 */
const WIDE = 100;

export function runTable(
  runs: readonly RunSummary[],
  now: number,
  {
    columns: width,
    sizes = false,
    notes = new Map(),
  }: {
    readonly columns?: number | undefined;
    readonly sizes?: boolean;
    readonly notes?: ReadonlyMap<RunId, readonly RunNote[]>;
  } = {},
): readonly string[] {
  const workers = runs.some(({ worker }) => worker !== undefined) ? [WORKER] : [];
  const marks = notes.size === 0 ? [] : [markColumn(notes)];
  const columns = [...COLUMNS, ...marks, ...workers, ...(sizes ? SIZES : []), INPUT].filter(
    ({ spare }) => spare !== true || width === undefined || width >= WIDE,
  );
  return table(
    columns,
    runs.map((run) => columns.map((column) => column.of(run, now))),
    width,
  );
}

/** The marks of people, the newest first. */
const markColumn = (notes: ReadonlyMap<RunId, readonly RunNote[]>): RunColumn => ({
  title: 'MARK',
  of: ({ run }) => [...new Set((notes.get(run) ?? []).map(({ mark }) => mark))].join(', '),
});

/** One line for each reason why runs wait for a worker. */
export function queuedNotes(why: ReadonlyMap<RunId, string>): readonly string[] {
  const runs = new Map<string, RunId[]>();
  for (const [run, reason] of why) runs.set(reason, [...(runs.get(reason) ?? []), run]);
  return [...runs].map(([reason, [first = '', ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${amounts.plural(others.length, 'other')}`;
    return `queued: ${oneLine(reason)} (${first}${more})`;
  });
}

/** The standing of a run, and the calls of an answered one that came to nothing. */
function stateOf(run: RunSummary): string {
  const standing = runStanding(run);
  const below = standing === 'answered' ? badBelow(run) : undefined;
  return [standingWord(standing), ...(below === undefined ? [] : [below])].join(', ');
}

/** The same as in `cadre show`. While a call is under way, the sum is a lower bound. */
export function costOf({ usd, unpriced, atLeast }: Pick<RunSummary, 'usd' | 'unpriced' | 'atLeast'>): string {
  if (usd === undefined && unpriced > 0) return amounts.cost(usd, unpriced);
  return `${atLeast ? '≥ ' : ''}${amounts.usd(usd ?? 0)}`;
}

function timeOf({ state, startedAt, endedAt }: RunSummary, now: number): string {
  if (endedAt !== undefined) return amounts.duration(endedAt - startedAt);
  return state === 'running' ? amounts.duration(now - startedAt) : '–';
}
