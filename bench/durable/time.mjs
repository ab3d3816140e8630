// The time of one peer with its persistence on, in a process of its own: node time.mjs <peer> <workload> <folder>
// <warm-up ms> <measure ms>. Its models and its tool answer at once. Prints the median time of a run in microseconds.

import { performance } from 'node:perf_hooks';
import { median } from '../statistics.mjs';
import { DURABLE } from './parts.mjs';

const [peer, workload, dir, warmUp, measure] = process.argv.slice(2);
const { open } = await import(`./${peer}.mjs`);
const expected = DURABLE[workload];
const calls = { count: 0 };
const made = async () => {
  calls.count += 1;
};
const opened = await open(workload, { dir, made });
await opened.register?.();

let number = 0;
async function once() {
  calls.count = 0;
  number += 1;
  const begin = performance.now();
  const text = await opened.start(`${peer}-${workload}-${process.pid}-${number}`);
  const micros = (performance.now() - begin) * 1000;
  if (text !== expected.text) throw new Error(`${peer} ${workload} answered ${text}`);
  if (calls.count !== expected.calls.length) throw new Error(`${peer} ${workload} made ${calls.count} calls`);
  return micros;
}

async function during(ms) {
  const samples = [];
  const end = performance.now() + Number(ms);
  do samples.push(await once());
  while (performance.now() < end);
  return samples;
}

await during(warmUp);
const micros = median(await during(measure));
process.stdout.write(`${JSON.stringify({ micros })}\n`, () => process.exit(0));
