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

/** A sum that grows. */
export interface Counter {
  usd: number;
  priced: number;
  unpriced: number;
  calls: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
}

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

/** The sum of two sums. Where none of the calls has a price, it has none either. */
export function joinTotals(left: Totals, right: Totals): Totals {
  const priced = [left, right].filter(({ calls }) => calls > 0).flatMap(({ usd }) => usd ?? []);
  const isKnown = priced.length > 0 || left.unpriced + right.unpriced === 0;
  const usd = isKnown ? priced.reduce((all, one) => all + one, 0) : undefined;
  return {
    ...(usd !== undefined && { usd: roundedUsd(usd) }),
    unpriced: left.unpriced + right.unpriced,
    calls: left.calls + right.calls,
    input: left.input + right.input,
    output: left.output + right.output,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    reasoning: left.reasoning + right.reasoning,
  };
}

export function sum(lines: Iterable<LedgerLine>): Totals {
  const all = counter();
  for (const line of lines) count(all, line);
  return totalsOf(all);
}
