// Sums over runs: of a list, of a day, of a conversation. Made from summaries, so no journal is opened. A call counts in the
// run that paid for it, so once in any sum.

import { roundedUsd } from '../../journal/spent.ts';
import type { SpentRun, SpentShare } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { type Calendar, dayAfter, HOUR_MS, PART_MS } from './calendar.ts';
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

/** The part of a run that sums are made of. */
type Summed = Omit<SpentRun, 'run'>;

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

/** A row for each: of the day or the hour in which runs began, of the agent that made the calls, and of the model. */
export const SPENT_BY = ['day', 'hour', 'agent', 'model'] as const;
export type SpentBy = (typeof SPENT_BY)[number];

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

/** A run counts once in each row that has a call of it. */
export interface SpentRow extends RunSum {
  readonly day?: string;
  /** The first moment of the day or hour, and the one after its last. */
  readonly from?: number;
  readonly to?: number;
  readonly agent?: string;
  readonly model?: string;
}

/** Oldest first, then by agent and model. */
export function spentRows(runs: Iterable<Summed>, by: readonly SpentBy[], calendar: Calendar): readonly SpentRow[] {
  const rows = new Map<string, { readonly of: Omit<SpentRow, keyof RunSum>; readonly sum: Adding }>();
  const timeOf = timesBy(by, calendar);
  for (const run of runs) {
    const time = timeOf(run.startedAt);
    for (const { agent, model, shares } of partsOf(run, by)) {
      const key = `${time?.from ?? ''} ${agent ?? ''} ${model ?? ''}`;
      let row = rows.get(key);
      if (row === undefined) {
        row = {
          of: { ...time, ...(agent !== undefined && { agent }), ...(model !== undefined && { model }) },
          sum: new Adding(),
        };
        rows.set(key, row);
      }
      row.sum.add(run, shares);
    }
  }
  return [...rows.values()].map(({ of, sum }) => ({ ...of, ...sum.sum() })).sort(inOrder);
}

const inOrder = (one: SpentRow, other: SpentRow): number =>
  (one.from ?? 0) - (other.from ?? 0) ||
  compared(one.agent ?? '', other.agent ?? '') ||
  compared(one.model ?? '', other.model ?? '');

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

interface RunPart {
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly shares: readonly SpentShare[];
}

/** The shares of a run as the rows want them apart. Where they are together, a run without a call has a part too. */
function partsOf({ spent }: Summed, by: readonly SpentBy[]): readonly RunPart[] {
  const isByAgent = by.includes('agent');
  const isByModel = by.includes('model');
  if (!isByAgent && !isByModel) return [{ shares: spent }];
  const parts: (RunPart & { readonly shares: SpentShare[] })[] = [];
  for (const share of spent) {
    const agent = isByAgent ? share.agent : undefined;
    const model = isByModel ? share.model : undefined;
    const part = parts.find((one) => one.agent === agent && one.model === model);
    if (part === undefined) parts.push({ agent, model, shares: [share] });
    else part.shares.push(share);
  }
  return parts;
}

type Time = Pick<SpentRow, 'day' | 'from' | 'to'>;

/** Undefined where rows are of all times. */
function timesBy(by: readonly SpentBy[], calendar: Calendar): (at: number) => Time | undefined {
  if (!by.includes('day') && !by.includes('hour')) return () => undefined;
  const known = new Map<number, Time>();
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

class Adding {
  #runs = 0;
  #notAnswered = 0;
  #calls = 0;
  #input = 0;
  #output = 0;
  #usd: number | undefined;
  #unpriced = 0;
  #isLeast = false;

  /** A part of a run may be known whole while another one is not. What is under way may be of any. */
  add(run: Summed, shares: readonly SpentShare[] = run.spent): void {
    this.#runs++;
    if (isUnanswered(runStanding(run))) this.#notAnswered++;
    let unpriced = 0;
    for (const share of shares) {
      this.#calls += share.calls;
      this.#input += share.input;
      this.#output += share.output;
      unpriced += share.unpriced;
      if (share.usd !== undefined) this.#usd = (this.#usd ?? 0) + share.usd;
    }
    const isAll = shares.length === run.spent.length;
    this.#unpriced += isAll ? run.unpriced : unpriced;
    this.#isLeast ||= isAll || run.state !== 'ended' ? run.atLeast : unpriced > 0;
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
