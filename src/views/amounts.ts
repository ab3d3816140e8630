// Amounts as people read them: tokens, dollars, durations, moments. Except for moments, they are never wider than seven
// columns.

import { bytesText } from '../base/text/words.ts';

export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 9950) return `${(count / 1000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** Two significant digits below a cent, so that small costs do not look like none. */
export function usd(amount: number): string {
  if (amount === 0) return '$0';
  if (amount < 0.000_001) return '<$1e-6';
  if (amount < 0.01) return `$${Number(amount.toPrecision(2)).toFixed(6).replace(/0+$/, '')}`;
  return amount < 1000 ? `$${amount.toFixed(amount < 10 ? 3 : 2)}` : `$${Math.round(amount)}`;
}

/** A sum, with `≥` if calls of unknown price are missing from it. */
export function cost(known: number | undefined, unpriced: number): string {
  if (known === undefined) return 'price unknown';
  return unpriced > 0 ? `≥ ${usd(known)}` : usd(known);
}

/** The cost of calls: their number, those without a known price, and that more was spent than is known. */
interface Spending {
  readonly usd?: number | undefined;
  readonly calls: number;
  readonly unpriced: number;
  readonly atLeast?: boolean;
}

/** In a cell: `–` where no call was made, `$?` where no price is known, `≥` where more was spent. Never 0 for unknown. */
export function costText({ usd: known, calls, unpriced, atLeast = unpriced > 0 }: Spending): string {
  if (known === undefined) return calls === 0 ? '–' : '$?';
  return `${atLeast ? '≥ ' : ''}${usd(known)}`;
}

interface CachedInput {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The shares of the input that providers read from their caches and wrote to them. Undefined where none reports any. */
export function cacheShares({
  input,
  cacheRead,
  cacheWrite,
}: CachedInput): { readonly read: string; readonly written?: string } | undefined {
  if (input === 0 || cacheRead + cacheWrite === 0) return undefined;
  const share = (part: number): string => `${Math.round((part / input) * 100)}%`;
  return { read: share(cacheRead), ...(cacheWrite > 0 && { written: share(cacheWrite) }) };
}

/** The shares with their tokens, in words. */
export function cacheWords(totals: CachedInput): string | undefined {
  const shares = cacheShares(totals);
  if (shares === undefined) return undefined;
  const read = `${shares.read} of the input read from cache (${tokens(totals.cacheRead)} tokens)`;
  return shares.written === undefined
    ? read
    : `${read}, ${shares.written} written to it (${tokens(totals.cacheWrite)})`;
}

/** `1,961` */
export const countText = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');

export const bytes = bytesText;

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
  return `${Math.floor(seconds / 3600)}h${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}m`;
}

/** Whole seconds, for a clock that ticks on the screen. */
export const clock = (ms: number): string => (ms < 60_000 ? `${Math.floor(Math.max(0, ms) / 1000)}s` : duration(ms));

/** Local time, to the second; with the day if it is not that of `now`. */
export function moment(at: number, now: number): string {
  const whole = dayAndTime(at);
  return new Date(at).toDateString() === new Date(now).toDateString() ? whole.slice(-8) : whole;
}

/** Local time with its day: `2026-11-16 03:55:15`. */
export function dayAndTime(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
