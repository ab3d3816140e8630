// The figures of the suites: printed as they end, and written as JSON for docs/reliability.md if asked for.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Figure = readonly [what: string, measured: string | number];

export function tell(topic: string, figures: readonly Figure[]): void {
  const lines = figures.map(([what, measured]) => `  ${what.padEnd(58)} ${measured}`);
  process.stdout.write(`\n${topic}\n${lines.join('\n')}\n`);
  const folder = process.env['CADRE_FIGURES'];
  if (folder === undefined || folder === '') return;
  mkdirSync(folder, { recursive: true });
  const file = `${topic.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`;
  writeFileSync(join(folder, file), JSON.stringify({ topic, figures }, null, 2));
}

/** The same moments again for the same seed. */
export function dice(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}
