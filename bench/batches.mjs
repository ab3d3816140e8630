// Two builds of Cadre in one process, which do short batches of one workload in turn: node batches.mjs <before> <now>
// <memory|file> <workload> <pairs>. Prints one line of JSON: the processor time of each pair, in microseconds a run.

import { pathToFileURL } from 'node:url';
import { adapterOf } from './cadre-adapter.mjs';
import { listOf } from './many/list.mjs';
import { check, forget, prepare } from './workloads.mjs';

/** Shorter than most disturbances of a machine, and long enough for the clock. */
const BATCH_MS = 2;
const WARM_UP_MS = 1500;

const [before, now, store, workload, pairs] = process.argv.slice(2);
const builds = [];
for (const dist of [before, now]) {
  const library = await import(pathToFileURL(`${dist}/index.js`).href);
  builds.push(workload === 'list' ? { run: await listOf(library) } : await agentsOf(adapterOf(library, store)));
}

async function agentsOf(adapter) {
  return { run: await prepare(adapter, workload), check: (done) => check(adapter, workload, done) };
}

/** Processor time says more than the clock on a machine that has other work. */
async function batch({ run, check }, times) {
  forget();
  const done = [];
  const begin = process.cpuUsage();
  for (let count = 0; count < times; count++) done.push(await run());
  const { user, system } = process.cpuUsage(begin);
  check?.(done);
  for (const one of done) await one?.release?.();
  return (user + system) / times;
}

let fastest = Number.POSITIVE_INFINITY;
for (const end = performance.now() + WARM_UP_MS; performance.now() < end; )
  for (const build of builds) fastest = Math.min(fastest, await batch(build, workload === 'list' ? 1 : 5));
const times = Math.max(1, Math.round((BATCH_MS * 1000) / fastest));

const samples = [];
for (let pair = 0; pair < Number(pairs); pair++) {
  const micros = [];
  for (const which of pair % 2 === 0 ? [0, 1] : [1, 0]) micros[which] = await batch(builds[which], times);
  samples.push(micros);
}
process.stdout.write(`${JSON.stringify(samples)}\n`, () => process.exit(0));
