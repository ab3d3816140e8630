// Sums over model calls. A sum of money leaves out what is not known, and says how many calls that is.

import { isUnpriced, roundedUsd } from '../../journal/spent.ts';
import type { LedgerLine } from './calls.ts';

export interface Totals {
  /** The cost of the priced calls; absent if calls were made and none of them has a price. */
  readonly usd?: number;
  /** Calls whose price is unknown. */
  readonly unpriced: number;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** A sum that grows. `priced` counts the calls that have a price. */
export type Counter = { -readonly [Name in keyof Required<Totals>]: number } & { priced: number };

export const counter = (): Counter => ({
  usd: 0,
  priced: 0,
  unpriced: 0,
  calls: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
});

export function count(into: Counter, line: LedgerLine): void {
  into.calls++;
  if (line.usd !== undefined) {
    into.priced++;
    into.usd += line.usd;
  } else if (isUnpriced(line, line.fault)) into.unpriced++;
  if (line.usage === undefined) return;
  into.input += line.usage.input;
  into.output += line.usage.output;
  into.cacheRead += line.usage.cacheRead ?? 0;
  into.cacheWrite += line.usage.cacheWrite ?? 0;
  into.reasoning += line.usage.reasoning ?? 0;
}

export function totalsOf({ usd, priced, ...rest }: Counter): Totals {
  if (priced === 0 && rest.unpriced > 0) return rest;
  return { usd: roundedUsd(usd), ...rest };
}

const COUNTED = ['unpriced', 'calls', 'input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const;

/** The sum of sums. Where none of the calls has a price, it has none either. */
export function addTotals(all: Iterable<Totals>): Totals {
  const whole = counter();
  for (const one of all) {
    if (one.usd !== undefined && one.calls > 0) {
      whole.priced++;
      whole.usd += one.usd;
    }
    for (const name of COUNTED) whole[name] += one[name];
  }
  return totalsOf(whole);
}

export function sum(lines: Iterable<LedgerLine>): Totals {
  const all = counter();
  for (const line of lines) count(all, line);
  return totalsOf(all);
}
