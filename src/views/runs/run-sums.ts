// Sums over runs: of a list, of a day, of a conversation. Made from summaries, so no journal is opened. A call counts in the
// run that paid for it, so once in any sum.

import type { RestingWork } from '../../base/text/steps.ts';
import type { RunStanding, RunSum, RunTotals } from '../../journal/run-totals.ts';
import { roundedUsd } from '../../journal/spent.ts';
import type { SpentRun, SpentShare } from '../../journal/store.ts';
import type { OutcomeKind } from '../../kernel/fault.ts';
import { isUnanswered, runStanding } from './run-standing.ts';

/** The part of a run that sums are made of. */
export type SummedRun = Omit<SpentRun, 'run'>;

export function runSum(runs: Iterable<SummedRun>): RunSum {
  const adding = new SumOfRuns();
  for (const run of runs) adding.add(run);
  return adding.sum();
}

/** Totals of runs that come and go. What is taken out must be what was put in. */
export class RunTally {
  readonly #adding = new SumOfRuns();
  readonly #states = new Map<RunStanding, number>();

  add(run: SummedRun): void {
    this.#adding.add(run);
    this.#count(run, 1);
  }

  remove(run: SummedRun): void {
    this.#adding.remove(run);
    this.#count(run, -1);
  }

  /** A sum of runs that ended in the same way. */
  addPart(outcome: OutcomeKind, part: SummedPart): void {
    this.#adding.addPart(part);
    this.#states.set(outcome, (this.#states.get(outcome) ?? 0) + part.runs);
  }

  /** With these, which are not put in. */
  totals(more: readonly SummedRun[] = []): RunTotals {
    for (const run of more) this.add(run);
    const states: Partial<Record<RunStanding, number>> = {};
    for (const [standing, count] of this.#states) if (count > 0) states[standing] = count;
    const sum = this.#adding.sum();
    for (const run of more) this.remove(run);
    return { total: sum.runs, states, sum };
  }

  #count(run: SummedRun, by: 1 | -1): void {
    const standing = runStanding(run);
    this.#states.set(standing, (this.#states.get(standing) ?? 0) + by);
  }
}

export function* runTotals(runs: Iterable<SummedRun>): RestingWork<RunTotals> {
  const tally = new RunTally();
  for (const run of runs) {
    tally.add(run);
    yield;
  }
  return tally.totals();
}

/** A sum that a store has made: of runs that have ended, or parts of them. */
export interface SummedPart extends Omit<RunSum, 'atLeast' | 'usd'> {
  /** Absent where nothing of it has a price. */
  readonly usd?: number;
}

/** The sum of runs that are put in one at a time, and of sums that a store has made. */
export class SumOfRuns {
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
  add(run: SummedRun, shares: readonly SpentShare[] = run.spent): void {
    this.#count(run, shares, 1);
  }

  remove(run: SummedRun): void {
    this.#count(run, run.spent, -1);
  }

  addPart({ runs, notAnswered, calls, tokens, usd, unpriced }: SummedPart): void {
    this.#runs += runs;
    this.#notAnswered += notAnswered;
    this.#calls += calls;
    this.#input += tokens.input;
    this.#output += tokens.output;
    this.#unpriced += unpriced;
    if (unpriced > 0) this.#atLeast++;
    if (usd === undefined) return;
    this.#usd.add(usd);
    this.#priced++;
  }

  #count(run: SummedRun, shares: readonly SpentShare[], by: 1 | -1): void {
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
