// Sums of model calls, and what was spent over time. Pure.

import type { Price } from '../../../../src/server/protocol.ts';
import { usd } from '../../../../src/views/amounts.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';

export interface ModelSum {
  readonly model: string;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly usd?: number;
  readonly unpriced: number;
}

export function byModel(lines: readonly LedgerLine[]): readonly ModelSum[] {
  const models = [...new Set(lines.map(({ model }) => model))];
  return models.map((model) => {
    const own = lines.filter((line) => line.model === model);
    const priced = own.filter((line) => line.usd !== undefined);
    return {
      model,
      calls: own.length,
      input: own.reduce((sum, { usage }) => sum + (usage?.input ?? 0), 0),
      output: own.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0),
      ...(priced.length > 0 && { usd: priced.reduce((sum, line) => sum + (line.usd ?? 0), 0) }),
      unpriced: own.length - priced.length,
    };
  });
}

export interface Step {
  readonly at: number;
  readonly usd: number;
}

/** The spending at the end of each call, from nothing at the beginning. */
export function spentOverTime(lines: readonly LedgerLine[], start: number): readonly Step[] {
  let sum = 0;
  const ends = lines
    .filter((line) => line.usd !== undefined)
    .map((line) => ({ at: line.startedAt + (line.ms ?? 0), usd: line.usd ?? 0 }))
    .sort((left, right) => left.at - right.at);
  return [{ at: start, usd: 0 }, ...ends.map((end) => ({ at: end.at, usd: (sum += end.usd) }))];
}

export const SORTS = ['cost', 'began', 'time', 'agent'] as const;
export type CostSort = (typeof SORTS)[number];

export function sortedLines(lines: readonly LedgerLine[], by: CostSort): readonly LedgerLine[] {
  const order: Readonly<Record<CostSort, (left: LedgerLine, right: LedgerLine) => number>> = {
    cost: (left, right) => (right.usd ?? -1) - (left.usd ?? -1),
    began: (left, right) => left.startedAt - right.startedAt,
    time: (left, right) => (right.ms ?? -1) - (left.ms ?? -1),
    agent: (left, right) =>
      left.agent < right.agent ? -1 : left.agent > right.agent ? 1 : left.startedAt - right.startedAt,
  };
  return lines.toSorted(order[by]);
}

/** Round amounts for the lines of a chart: at most five of them. */
export function ticksUpTo(most: number): readonly number[] {
  if (most <= 0) return [0];
  const rough = most / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((times) => times * unit).find((size) => size >= rough) ?? unit * 10;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => index * step);
}

export const shownUsd = (amount: number | undefined, unpriced: number): string =>
  amount === undefined ? (unpriced > 0 ? '$?' : '$0') : `${unpriced > 0 ? '≥ ' : ''}${usd(amount)}`;

/** The price as it was set, for a million tokens: in, out, and those read from a cache if they cost something else. */
export function shownPrice(price: Price | undefined): string {
  if (price === undefined) return '$?';
  const { input, output, cacheRead } = price;
  return `$${input}, $${output}${cacheRead === undefined ? '' : `, $${cacheRead} cached`}`;
}
