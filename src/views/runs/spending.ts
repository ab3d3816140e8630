// The spending of runs: sums by day or hour, agent and model. Stores put in their runs one at a time, or sums that they have made.

import type { RestingWork } from '../../base/text/steps.ts';
import {
  SPENT_BY,
  type SpentBy,
  type SpentQuery,
  type SpentReport,
  type SpentRow,
  type SpentTime,
} from '../../journal/run-totals.ts';
import { inSlices } from '../../journal/slices.ts';
import type { RunStore, SpentShare } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { type Calendar, dayAfter, HOUR_MS, PART_MS } from './calendar.ts';
import { runTotals, type SummedPart, type SummedRun, SumOfRuns } from './run-sums.ts';

/** The words of a command or an address. Throws `usage`. */
export function spentBy(text = 'day'): readonly SpentBy[] {
  const words = text.split(',').map((word) => word.trim());
  const by = SPENT_BY.filter((one) => words.includes(one));
  const wrong = words.find((word) => !SPENT_BY.some((one) => one === word));
  if (wrong !== undefined)
    fail('usage', `Sums are by ${SPENT_BY.join(', ')}, with commas between them, not by "${wrong.slice(0, 80)}".`);
  if (by.includes('day') && by.includes('hour')) fail('usage', 'Sums are by day or by hour, not by both.');
  return by;
}

export const spentQuery = (
  by: readonly SpentBy[],
  calendar: Calendar,
  { since, until }: Pick<SpentQuery, 'since' | 'until'> = {},
): SpentQuery => ({
  by,
  timeOf: timesBy(by, calendar),
  ...(since !== undefined && { since }),
  ...(until !== undefined && { until }),
});

export function* spentReport(runs: Iterable<SummedRun>, query: SpentQuery): RestingWork<SpentReport> {
  const sums = new SpentFold(query);
  for (const run of runs) {
    sums.add(run);
    yield;
  }
  return sums.report();
}

/** The sums of a list, for a store that makes none of its own. */
export const sumsOfList = (list: () => Promise<readonly SummedRun[]>): Pick<RunStore, 'spent' | 'totals'> => ({
  spent: async (query) => inSlices(spentReport(await list(), query)),
  totals: async () => inSlices(runTotals(await list())),
});

/** Agent and model are absent where rows are not by them. */
interface RowKey {
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
}

interface GrowingRow {
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly time: SpentTime | undefined;
  readonly sum: SumOfRuns;
}

export class SpentFold {
  readonly #query: SpentQuery;
  readonly #isByAgent: boolean;
  readonly #isByModel: boolean;
  readonly #total = new SumOfRuns();
  readonly #rows: GrowingRow[] = [];
  /** By the beginning of the day or hour, the agent and the model. */
  readonly #found = new Map<number, Map<string, Map<string, GrowingRow>>>();

  constructor(query: SpentQuery) {
    this.#query = query;
    this.#isByAgent = query.by.includes('agent');
    this.#isByModel = query.by.includes('model');
  }

  /** Passes over a run that did not begin within the time that is asked for. */
  add(run: SummedRun): void {
    const { since = 0, until = Number.POSITIVE_INFINITY, timeOf } = this.#query;
    if (run.startedAt < since || run.startedAt >= until) return;
    this.#total.add(run);
    const time = timeOf(run.startedAt);
    for (const part of this.#partsOf(run)) this.#row(time, part).sum.add(run, part.shares);
  }

  /** A row that the store has summed up over runs that ended. `at`: a moment of its day or hour. */
  addRow(at: number, key: RowKey, part: SummedPart): void {
    this.#row(this.#query.timeOf(at), key).sum.addPart(part);
  }

  /** The sum over the runs of all such rows. */
  addTotal(part: SummedPart): void {
    this.#total.addPart(part);
  }

  report(): SpentReport {
    const rows = this.#rows.map(
      ({ time, agent, model, sum }): SpentRow => ({
        ...time,
        ...(agent !== undefined && { agent }),
        ...(model !== undefined && { model }),
        ...sum.sum(),
      }),
    );
    return { rows: rows.sort(inOrder), total: this.#total.sum() };
  }

  /** The shares of a run as the rows want them apart. Where they are together, a run without a call has a part too. */
  #partsOf({ spent }: SummedRun): readonly RunPart[] {
    if (!this.#isByAgent && !this.#isByModel) return [{ shares: spent }];
    const parts: RunPart[] = [];
    for (const share of spent) {
      const agent = this.#isByAgent ? share.agent : undefined;
      const model = this.#isByModel ? share.model : undefined;
      const part = parts.find((one) => one.agent === agent && one.model === model);
      if (part === undefined) parts.push({ agent, model, shares: [share] });
      else part.shares = [...part.shares, share];
    }
    return parts;
  }

  #row(time: SpentTime | undefined, key: RowKey): GrowingRow {
    const ofTime = madeOnce(this.#found, time?.from ?? 0, () => new Map<string, Map<string, GrowingRow>>());
    const ofAgent = madeOnce(ofTime, key.agent ?? '', () => new Map<string, GrowingRow>());
    return madeOnce(ofAgent, key.model ?? '', () => {
      const row = { agent: key.agent, model: key.model, time, sum: new SumOfRuns() };
      this.#rows.push(row);
      return row;
    });
  }
}

interface RunPart extends RowKey {
  shares: readonly SpentShare[];
}

function madeOnce<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let found = map.get(key);
  if (found === undefined) {
    found = make();
    map.set(key, found);
  }
  return found;
}

const inOrder = (one: SpentRow, other: SpentRow): number =>
  (one.from ?? 0) - (other.from ?? 0) ||
  compared(one.agent ?? '', other.agent ?? '') ||
  compared(one.model ?? '', other.model ?? '');

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Undefined where rows are of all times. */
function timesBy(by: readonly SpentBy[], calendar: Calendar): (at: number) => SpentTime | undefined {
  if (!by.includes('day') && !by.includes('hour')) return () => undefined;
  const known = new Map<number, SpentTime>();
  return (at) => {
    const part = Math.floor(at / PART_MS);
    const found = known.get(part);
    if (found !== undefined) return found;
    const day = calendar.dayOf(at);
    const time = { day, ...(by.includes('hour') ? hourAround(at, day, calendar) : dayAround(day, calendar)) };
    known.set(part, time);
    return time;
  };
}

const dayAround = (day: string, calendar: Calendar): { readonly from: number; readonly to: number } => ({
  from: calendar.startOf(day),
  to: calendar.startOf(dayAfter(day)),
});

/** Hours are counted from the beginning of the day, so that one of 25 hours has each of them once. */
function hourAround(at: number, day: string, calendar: Calendar) {
  const { from: begin, to: end } = dayAround(day, calendar);
  const from = begin + Math.floor((at - begin) / HOUR_MS) * HOUR_MS;
  return { from, to: Math.min(from + HOUR_MS, end) };
}
