// The usage of a model call, and its cost. A cost that is not known is absent, never zero.

import type { Fault } from './fault.ts';

export interface Usage {
  readonly input: number;
  readonly output: number;
  /** Parts of `input`, if the provider reports them. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Part of `output`. */
  readonly reasoning?: number;
}

/** The figures that a budget counts. */
export interface Count {
  readonly tokens: number;
  /** Absent if the model has no price. */
  readonly usd?: number;
}

export interface CallSpend {
  /** `provider/model` as it was called. */
  readonly model: string;
  /** The usage as the provider reported it. */
  readonly usage?: Usage;
  readonly usd?: number;
  /** The budget's count, if it is not the reported one. */
  readonly counted?: Count;
}

/** The budget's count for an attempt that was cut short. The fault holds it, because there is no reply. */
export const countedIn = ({ details }: Pick<Fault, 'details'>): Pick<CallSpend, 'counted'> => {
  const counted = details?.['counted'] as Count | undefined;
  return counted === undefined ? {} : { counted };
};

const isAmount = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** A report with a value that is not a finite number of 0 or more is treated as missing. */
export const saneUsage = (usage: Usage | undefined): Usage | undefined =>
  usage !== undefined && isAmount(usage.input) && isAmount(usage.output) && isOfAmounts(usage) ? usage : undefined;

function isOfAmounts(usage: Usage): boolean {
  for (const name in usage) if (!isAmount(usage[name as keyof Usage])) return false;
  return true;
}

export const saneUsd = (usd: number | undefined): number | undefined => (isAmount(usd) ? usd : undefined);

/** The budget's count for a recorded call. */
export function countOf({ counted, usage, usd }: Omit<CallSpend, 'model'>): Count {
  if (counted !== undefined) return counted;
  const { input, output } = saneUsage(usage) ?? { input: 0, output: 0 };
  const cost = saneUsd(usd);
  return { tokens: input + output, ...(cost !== undefined && { usd: cost }) };
}
