// One build of Cadre in a process of its own, which does a batch of one workload whenever it is told to: node batches.mjs
// <dist> <memory|file> <workload>. It answers with the processor time of the batch, in microseconds a run.

import { pathToFileURL } from 'node:url';
import { adapterOf } from './cadre-adapter.mjs';
import { listOf } from './many/list.mjs';
import { check, forget, prepare } from './workloads.mjs';

/** A batch is long enough that the collector works in each, and short enough that two neighbours see the same machine. */
const BATCH_MS = 20;
/** Runs that have ended are checked and let go after so long, outside of what is measured: few programs hold thousands. */
const SLICE_MS = 1;
const WARM_UP_MS = 3000;

const [dist, store, workload] = process.argv.slice(2);
const library = await import(pathToFileURL(`${dist}/index.js`).href);
const build = workload === 'list' ? { run: await listOf(library) } : await agentsOf(adapterOf(library, store));

async function agentsOf(adapter) {
  return { run: await prepare(adapter, workload), check: (done) => check(adapter, workload, done) };
}

/** Processor time says more than the clock on a machine that has other work. It has the collector's threads in it. */
async function slice({ run, check }, times) {
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
  fastest = Math.min(fastest, await slice(build, workload === 'list' ? 1 : 5));
const runs = Math.max(1, Math.round((SLICE_MS * 1000) / fastest));
const slices = Math.max(1, Math.round((BATCH_MS * 1000) / (fastest * runs)));

async function batch() {
  let sum = 0;
  for (let count = 0; count < slices; count++) sum += await slice(build, runs);
  return sum / slices;
}

process.on('message', () => void batch().then((micros) => process.send(micros)));
process.send('ready');
