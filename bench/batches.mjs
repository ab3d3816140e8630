// One build of Cadre, one workload, in a process of its own that its parent asks for batches: node batches.mjs
// <adapter> <workload>. A message `n` does the workload n times; the answer is the processor time that it took.

import { check, forget, prepare } from './workloads.mjs';

const [id, workload] = process.argv.slice(2);
const { adapter } = await import(`./adapters/${id}.mjs`);
const run = await prepare(adapter, workload);

async function batch(times) {
  forget();
  const done = [];
  const before = process.cpuUsage();
  for (let count = 0; count < times; count++) done.push(await run());
  const { user, system } = process.cpuUsage(before);
  check(adapter, workload, done);
  for (const one of done) await one.release?.();
  process.send((user + system) / 1000);
}

process.on('message', (times) => void batch(times));
process.send('ready');
