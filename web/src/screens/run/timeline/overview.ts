// The strip above the timeline: how many model calls were in flight, and what had been spent. Pure.

import type { LedgerLine } from '../../../../../src/views/costs/ledger.ts';

export interface Overview {
  /** Steps of calls in flight: from this time on, so many. */
  readonly calls: readonly (readonly [at: number, count: number])[];
  readonly most: number;
  /** Steps of money spent. */
  readonly money: readonly (readonly [at: number, usd: number])[];
}

/** `open`: calls under way now, by when they began. */
export function overviewOf(lines: readonly LedgerLine[], open: readonly number[]): Overview {
  const changes: [number, number][] = [];
  const money: [number, number][] = [];
  for (const line of lines) {
    changes.push([line.startedAt, 1]);
    if (line.ms !== undefined) changes.push([line.startedAt + line.ms, -1]);
    if (line.usd !== undefined) money.push([line.startedAt + (line.ms ?? 0), line.usd]);
  }
  for (const at of open) changes.push([at, 1]);
  changes.sort((left, right) => left[0] - right[0] || left[1] - right[1]);
  money.sort((left, right) => left[0] - right[0]);
  let count = 0;
  let spent = 0;
  const calls = changes.map(([at, by]) => [at, (count += by)] as const);
  return {
    calls,
    most: calls.reduce((most, [, one]) => Math.max(most, one), 0),
    money: money.map(([at, by]) => [at, (spent += by)] as const),
  };
}

/** A budget much larger than what was spent would leave nothing of the line: then it is not drawn. */
const FAR = 4;

/** The amount at the top of a chart of money: what was spent, or the budget where it is near. */
export const topOf = (spent: number, budget: number | undefined): number =>
  budget !== undefined && budget > spent && budget <= spent * FAR ? budget : spent;

/** The number of these that were at work at once, over time: for a row that stands for many runs. */
export function atOnce(
  runs: readonly { readonly startedAt: number; readonly endedAt?: number | undefined }[],
  now: number,
): readonly (readonly [at: number, count: number])[] {
  const changes = runs.flatMap(({ startedAt, endedAt }) => [[startedAt, 1] as const, [endedAt ?? now, -1] as const]);
  changes.sort((left, right) => left[0] - right[0] || left[1] - right[1]);
  let count = 0;
  return changes.map(([at, by]) => [at, (count += by)] as const);
}
