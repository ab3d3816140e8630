// Runs two builds of Cadre in one process, in short batches that take turns. What disturbs the machine for longer than
// a batch disturbs both, so the median of the ratios of neighbours is stable where single times are not.

import { fileURLToPath } from 'node:url';
import { node } from './processes.mjs';
import { median, quantile } from './statistics.mjs';
import { markdown } from './table.mjs';

const BATCHES = fileURLToPath(new URL('batches.mjs', import.meta.url));

export const ROWS = ['memory', 'file'].flatMap((store) => ['W1', 'W2', 'W4'].map((workload) => ({ store, workload })));

/** The time of `now` as a multiple of `before`'s, for each store and workload. */
export async function against({ before, now, rows = ROWS, pairs }, tell) {
  const results = [];
  for (const { store, workload } of rows) {
    tell(`${workload}, ${store} store`);
    const { stdout } = await node([BATCHES, before, now, store, workload, String(pairs)], {});
    const samples = JSON.parse(stdout.trim().split('\n').at(-1));
    const ratios = samples.map(([old, fresh]) => fresh / old);
    const times = (which) => median(samples.map((micros) => micros[which]));
    const quarter = (share) => quantile(ratios, share);
    results.push({ store, workload, times: [times(0), times(1)], quarters: [0.25, 0.5, 0.75].map(quarter) });
  }
  return results;
}

export const againstTable = (results) =>
  markdown(
    ['workload', 'store', 'before, µs', 'now, µs', 'now / before', 'middle half of the pairs'],
    results.map(({ workload, store, times: [before, now], quarters: [low, middle, high] }) => [
      workload,
      store,
      before.toFixed(0),
      now.toFixed(0),
      middle.toFixed(2),
      `${low.toFixed(2)} to ${high.toFixed(2)}`,
    ]),
  );
