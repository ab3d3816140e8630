// Durations as people write them: `500ms`, `30s`, `10m`, `2h`, or a number of seconds. Inside Cadre: milliseconds.

const UNITS: readonly (readonly [string, number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** The longest that a timer holds on every platform, rounded down: 500 hours. */
export const MAX_DURATION_MS = 500 * 3_600_000;

/** Undefined for what is not a duration at all. The caller checks the range. */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value * 1000) : undefined;
  const match = typeof value === 'string' ? /^(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h)?$/.exec(value.trim()) : null;
  if (match === null) return undefined;
  const [, number, unit = 's'] = match;
  const factor = UNITS.find(([name]) => name === unit)?.[1] ?? 1000;
  return Math.round(Number(number) * factor);
}

/** The shortest form that means the same: 600000 is `10m`. */
export function formatDuration(ms: number): string {
  const [unit, factor] = UNITS.find(([, size]) => ms >= size && ms % size === 0) ?? ['ms', 1];
  return `${ms / factor}${unit}`;
}
