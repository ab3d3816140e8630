// Very many live runs in one process: node --expose-gc live.mjs '{"store", "runs", "atOnce"}' prints one line of
// JSON. Each run has three turns and a model that takes a second, so that all of them are under way at the same time.

import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { library } from '../built.mjs';
import { addingOf, workerFiles } from '../cadre-adapter.mjs';
import { folderOf } from '../cadre-folder.mjs';
import { WORKLOADS } from '../workloads.mjs';

const TURNS = 3;
const MODEL_MS = 1000;
const { store, runs, atOnce } = JSON.parse(process.argv[2]);

const lib = await library();
const { agents, script } = workerFiles(TURNS);
const limit = atOnce === undefined ? '' : `, concurrency: ${atOnce}`;
const folder = folderOf([
  [
    'cadre.yaml',
    `providers:\n  fake: { kind: scripted, script: ./s.yaml${limit} }\ndefaults: { models: [fake/model] }\n`,
  ],
  ['s.yaml', script.replaceAll('usage:', `delay: ${MODEL_MS}ms, usage:`)],
  ['worker.md', agents.worker],
]);
const cadre = await lib.loadCadre(folder, { tools: [addingOf(lib)], ...(store === 'memory' && { store }) });
const one = async () => (await cadre.run('worker', WORKLOADS.W1.input)).outcome();

await one(); // what a process loads once does not count as memory of the runs
globalThis.gc();
const before = process.memoryUsage();
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const begun = performance.now();
const ends = await Promise.allSettled(Array.from({ length: runs }, one));
const seconds = (performance.now() - begun) / 1000;
delay.disable();

const whyNot = ({ status, value, reason }) =>
  status === 'rejected'
    ? reason.message
    : value.text === WORKLOADS.W1.text
      ? undefined
      : (value.fault?.message ?? value.kind);
const failed = ends.map(whyNot).filter((why) => why !== undefined);
const ms = (share) => delay.percentile(share) / 1e6;
const result = {
  seconds,
  ideal: atOnce === undefined ? (TURNS * MODEL_MS) / 1000 : (runs * TURNS * MODEL_MS) / 1000 / atOnce,
  resident: (process.resourceUsage().maxRSS - before.rss / 1024) / runs,
  delay: [ms(50), ms(99), delay.max / 1e6],
  failed: failed.length,
  why: failed[0],
};
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
