// Sums over runs: of a list, of a day, of a conversation. Made from summaries, so no journal is opened. A call counts in the
// run that paid for it, so once in any sum.

import type { RestingWork } from '../../base/text/steps.ts';
import type { RunStanding, RunSum, RunTotals } from '../../journal/run-totals.ts';
import { roundedUsd } from '../../journal/spent.ts';
import type { SpentRun, SpentShare } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { type Calendar, dayAfter, HOUR_MS, PART_MS } from './calendar.ts';
import { isUnanswered, runStanding } from './run-standing.ts';

/** The part of a run that sums are made of. */
type Summed = Omit<SpentRun, 'run'>;

export function runSum(runs: Iterable<Summed>): RunSum {
  const adding = new Adding();
  for (const run of runs) adding.add(run);
  return adding.sum();
}

/** Totals of runs that come and go. What is taken out must be what was put in. */
export class RunTally {
  readonly #adding = new Adding();
  readonly #states = new Map<RunStanding, number>();

  add(run: Summed): void {
    this.#adding.add(run);
    this.#count(run, 1);
  }

  remove(run: Summed): void {
    this.#adding.remove(run);
    this.#count(run, -1);
  }

  /** With these, which are not put in. */
  totals(more: readonly Summed[] = []): RunTotals {
    for (const run of more) this.add(run);
    const states: Partial<Record<RunStanding, number>> = {};
    for (const [standing, count] of this.#states) if (count > 0) states[standing] = count;
    const sum = this.#adding.sum();
    for (const run of more) this.remove(run);
    return { total: sum.runs, states, sum };
  }

  #count(run: Summed, by: 1 | -1): void {
    const standing = runStanding(run);
    this.#states.set(standing, (this.#states.get(standing) ?? 0) + by);
  }
}

export function* runTotals(runs: Iterable<Summed>): RestingWork<RunTotals> {
  const tally = new RunTally();
  for (const run of runs) {
    tally.add(run);
    yield;
  }
  return tally.totals();
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
  readonly #usd = new ExactSum();
  /** Shares that have a price. */
  #priced = 0;
  #unpriced = 0;
  /** Parts of which more may have been spent. */
  #atLeast = 0;

  /** A part of a run may be known whole while another one is not. What is under way may be of any. */
  add(run: Summed, shares: readonly SpentShare[] = run.spent): void {
    this.#count(run, shares, 1);
  }

  remove(run: Summed): void {
    this.#count(run, run.spent, -1);
  }

  #count(run: Summed, shares: readonly SpentShare[], by: 1 | -1): void {
    this.#runs += by;
    if (isUnanswered(runStanding(run))) this.#notAnswered += by;
    let unpriced = 0;
    for (const share of shares) {
      this.#calls += by * share.calls;
      this.#input += by * share.input;
      this.#output += by * share.output;
      unpriced += share.unpriced;
      if (share.usd === undefined) continue;
      this.#usd.add(by * share.usd);
      this.#priced += by;
    }
    const isAll = shares.length === run.spent.length;
    this.#unpriced += by * (isAll ? run.unpriced : unpriced);
    if (isAll || run.state !== 'ended' ? run.atLeast : unpriced > 0) this.#atLeast += by;
  }

  sum(): RunSum {
    return {
      runs: this.#runs,
      notAnswered: this.#notAnswered,
      calls: this.#calls,
      tokens: { input: this.#input, output: this.#output },
      ...(this.#priced > 0 && { usd: roundedUsd(this.#usd.value()) }),
      unpriced: this.#unpriced,
      atLeast: this.#atLeast > 0,
    };
  }
}

/** A sum that keeps what each step rounds off, so it does not depend on the order, nor on what came and went. */
class ExactSum {
  #sum = 0;
  #rest = 0;

  add(amount: number): void {
    const sum = this.#sum + amount;
    this.#rest += Math.abs(this.#sum) >= Math.abs(amount) ? this.#sum - sum + amount : amount - sum + this.#sum;
    this.#sum = sum;
  }

  value(): number {
    return this.#sum + this.#rest;
  }
}
