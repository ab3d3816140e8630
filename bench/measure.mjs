// One measurement in a process of its own: node measure.mjs <adapter> <workload> <warm-up ms> <measure ms>. Prints one
// line of JSON: the medians in the workload's units.

import { performance } from 'node:perf_hooks';
import { median } from './statistics.mjs';
import { check, checkCalls, forget, prepare, seen, WORKLOADS } from './workloads.mjs';

const [id, workload, warmUpMs, measureMs] = process.argv.slice(2);
const { adapter } = await import(`./adapters/${id}.mjs`);
const run = await prepare(adapter, workload);

/** Runs are timed in batches of about this length: long enough that the clock's own cost does not matter, and short
 *  enough that other processes disturb few of them. */
const BATCH_MS = 1;
/** Turns at each end of a long session that are compared. */
const END = 20;

async function timed(times) {
  forget();
  const done = [];
  const begin = performance.now();
  for (let count = 0; count < times; count++) done.push(await run());
  const ms = (performance.now() - begin) / times;
  check(adapter, workload, done);
  for (const one of done) await one.release?.();
  return ms;
}

/** Repeats until the time is up, and at least once. */
async function repeat(budget, once) {
  const end = performance.now() + budget;
  const samples = [];
  do samples.push(await once());
  while (performance.now() < end);
  return samples;
}

async function whole() {
  const warm = firstMs < Number(warmUpMs) ? await repeat(Number(warmUpMs), () => timed(1)) : [firstMs];
  const times = Math.max(1, Math.round(BATCH_MS / Math.min(...warm.slice(-100))));
  return median(await repeat(Number(measureMs), () => timed(times)));
}

/** Only the framework's own result. */
async function outcome() {
  const { text, held = text } = await run();
  return held;
}

/** What a finished run keeps alive while its caller holds on to the result. */
async function heapKilobytes() {
  const settled = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc();
    globalThis.gc();
    return process.memoryUsage().heapUsed;
  };
  const before = await settled();
  const held = await outcome();
  const after = await settled();
  return held === undefined ? 0 : (after - before) / 1024;
}

async function ends() {
  const turns = [];
  const once = async () => {
    await timed(1);
    const { marks } = seen;
    const span = (from, to) => ((marks[to] - marks[from]) * 1000) / (to - from);
    turns.push([span(0, END), span(marks.length - 1 - END, marks.length - 1)]);
  };
  await repeat(Number(warmUpMs), once);
  turns.length = 0;
  await repeat(Number(measureMs), once);
  return { first: median(turns.map(([first]) => first)), last: median(turns.map(([, last]) => last)) };
}

forget();
const begun = performance.now();
const proof = await run();
const firstMs = performance.now() - begun;
check(adapter, workload, [proof]);
await checkCalls(adapter, workload, proof);

const { of } = WORKLOADS[workload];
const result = {
  W1: async () => ({ time: ((await whole()) * 1000) / of }),
  W2: async () => ({ time: (await whole()) * 1000 }),
  W3: async () => ({ time: await whole(), heap: (await heapKilobytes()) / of }),
  W4: async () => ({ time: ((await whole()) * 1000) / of }),
  W6: ends,
};
process.stdout.write(`${JSON.stringify(await result[workload]())}\n`, () => process.exit(0));
