// Two builds of Cadre side by side: one process each, which do short batches in turn. What disturbs the machine for
// longer than a batch disturbs both, so the median of the ratios of neighbours stands where single times do not.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median, quantile } from './statistics.mjs';
import { markdown } from './table.mjs';

const BATCHES = fileURLToPath(new URL('batches.mjs', import.meta.url));
/** Long enough for the collector's work to show in most batches, short against what disturbs a machine. */
const BATCH_MS = 25;

export const ROWS = ['memory', 'file'].flatMap((store) => ['W1', 'W2', 'W4'].map((workload) => ({ store, workload })));

/** Processor time of `now` as a multiple of `before`'s, for each store and workload. */
export async function against({ before, now, rows = ROWS, pairs, warmUp }, tell) {
  const results = [];
  for (const { store, workload } of rows) {
    tell(`${workload}, ${store} store`);
    const builds = [before, now].map((dist) => open(dist, `cadre-${store}`, workload));
    try {
      results.push({ store, workload, ...(await ratio(builds, pairs, warmUp)) });
    } finally {
      for (const { child } of builds) child.kill('SIGKILL');
    }
  }
  return results;
}

async function ratio(builds, pairs, warmUp) {
  for (const build of builds) await build.ready;
  const times = await sizeOf(builds, warmUp);
  const samples = [];
  for (let pair = 0; pair < pairs; pair++) {
    const order = pair % 2 === 0 ? [0, 1] : [1, 0];
    const ms = [];
    for (const which of order) ms[which] = await builds[which].batch(times);
    samples.push(ms);
  }
  const per = (which) => (median(samples.map((ms) => ms[which])) / times) * 1000;
  const quarter = (share) =>
    quantile(
      samples.map(([old, fresh]) => fresh / old),
      share,
    );
  return { before: per(0), now: per(1), low: quarter(0.25), ratio: quarter(0.5), high: quarter(0.75) };
}

/** Warms both up, and says how many runs make a batch. */
async function sizeOf(builds, warmUp) {
  let fastest = Number.POSITIVE_INFINITY;
  for (const build of builds)
    for (let spent = 0; spent < warmUp; ) {
      const ms = await build.batch(20);
      fastest = Math.min(fastest, ms / 20);
      spent += ms;
    }
  return Math.max(1, Math.round(BATCH_MS / fastest));
}

function open(dist, id, workload) {
  const child = fork(BATCHES, [id, workload], {
    env: { ...process.env, CADRE_BENCH_DIST: dist },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${workload} with ${dist} ended with ${code}`);
  });
  ended.catch(() => undefined);
  const heard = async () => (await Promise.race([once(child, 'message'), ended]))[0];
  return {
    child,
    ready: heard(),
    batch(times) {
      const answer = heard();
      child.send(times);
      return answer;
    },
  };
}

export const againstTable = (results) =>
  markdown(
    ['workload', 'store', 'before, µs', 'now, µs', 'now / before', 'middle half of the pairs'],
    results.map(({ workload, store, before, now, low, ratio: one, high }) => [
      workload,
      store,
      before.toFixed(0),
      now.toFixed(0),
      one.toFixed(2),
      `${low.toFixed(2)} to ${high.toFixed(2)}`,
    ]),
  );
