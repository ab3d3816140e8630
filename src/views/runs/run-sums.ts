// Sums over runs: of a list, of a day, of a conversation. Made from summaries, so no journal is opened. A call counts in the
// run that paid for it, so once in any sum.

import { roundedUsd } from '../../journal/spent.ts';
import type { RunSummary } from '../../journal/store.ts';
import { type Calendar, dayAfter, HOUR_MS } from './calendar.ts';
import { isUnanswered, type RunStanding, runStanding } from './run-standing.ts';

export interface RunSum {
  readonly runs: number;
  /** Ended without an answer, or broken off. */
  readonly notAnswered: number;
  readonly calls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  /** Absent where no call has a price. */
  readonly usd?: number;
  /** Calls whose price is unknown. */
  readonly unpriced: number;
  /** `usd` is only the least that was spent: calls have no known price, or are under way. */
  readonly atLeast: boolean;
}

type Summed = Pick<
  RunSummary,
  'calls' | 'tokens' | 'usd' | 'unpriced' | 'atLeast' | 'state' | 'outcome' | 'waiting' | 'queued' | 'startedAt'
>;

export function runSum(runs: Iterable<Summed>): RunSum {
  const adding = new Adding();
  for (const run of runs) adding.add(run);
  return adding.sum();
}

export function runTotals(runs: readonly Summed[]): {
  readonly total: number;
  readonly states: Readonly<Partial<Record<RunStanding, number>>>;
  readonly sum: RunSum;
} {
  const states: Partial<Record<RunStanding, number>> = {};
  for (const run of runs) {
    const standing = runStanding(run);
    states[standing] = (states[standing] ?? 0) + 1;
  }
  return { total: runs.length, states, sum: runSum(runs) };
}

export interface SpentRow extends RunSum {
  readonly day: string;
  /** The first moment of the day or hour, and the one after its last. */
  readonly from: number;
  readonly to: number;
}

/** A row for each day, or each hour of each day, in which runs began. Oldest first. */
export function spentRows(runs: Iterable<Summed>, by: 'day' | 'hour', calendar: Calendar): readonly SpentRow[] {
  const rows = new Map<number, { readonly day: string; readonly to: number; readonly sum: Adding }>();
  for (const run of runs) {
    const day = calendar.dayOf(run.startedAt);
    const { from, to } = by === 'day' ? dayAround(day, calendar) : hourAround(run.startedAt, day, calendar);
    const row = rows.get(from) ?? { day, to, sum: new Adding() };
    rows.set(from, row);
    row.sum.add(run);
  }
  return [...rows]
    .sort(([one], [other]) => one - other)
    .map(([from, { day, to, sum }]) => ({ day, from, to, ...sum.sum() }));
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

class Adding {
  #runs = 0;
  #notAnswered = 0;
  #calls = 0;
  #input = 0;
  #output = 0;
  #usd: number | undefined;
  #unpriced = 0;
  #isLeast = false;

  add(run: Summed): void {
    this.#runs++;
    if (isUnanswered(runStanding(run))) this.#notAnswered++;
    this.#calls += run.calls;
    this.#input += run.tokens.input;
    this.#output += run.tokens.output;
    if (run.usd !== undefined) this.#usd = (this.#usd ?? 0) + run.usd;
    this.#unpriced += run.unpriced;
    this.#isLeast ||= run.atLeast;
  }

  sum(): RunSum {
    return {
      runs: this.#runs,
      notAnswered: this.#notAnswered,
      calls: this.#calls,
      tokens: { input: this.#input, output: this.#output },
      ...(this.#usd !== undefined && { usd: roundedUsd(this.#usd) }),
      unpriced: this.#unpriced,
      atLeast: this.#isLeast,
    };
  }
}
