// Runs two builds of Cadre beside each other, in short batches that take turns, each build in a process of its own. What
// disturbs the machine for longer than a batch disturbs both, so the median of the ratios of neighbours is stable where
// single times are not. In one process each would collect the other's garbage and share the engine's caches with it.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { quietly } from './processes.mjs';
import { cpuOf, endAll, path, requestTo, servedFolder, started, told } from './server/processes.mjs';
import { median, quantile } from './statistics.mjs';
import { markdown } from './table.mjs';

const BATCHES = fileURLToPath(new URL('batches.mjs', import.meta.url));

export const ROWS = [
  ...['memory', 'file'].flatMap((store) => ['W1', 'W2', 'W4', 'W6'].map((workload) => ({ store, workload }))),
  { store: 'file', workload: 'list' },
  { store: 'file', workload: 'server' },
];

const NAMES = {
  W6: 'W6, all 200 turns',
  list: 'newest 20 of 10,000 runs',
  server: 'a streamed completion of `cadre serve`',
};
/** The share of the pairs of those that take the time of many runs. */
const SHARES = { list: 0.5 };
/** V8 lets the young generation grow with what happens to survive, so one of two equal builds could collect twice as often. */
const YOUNG = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
/** The first pairs still warm up: the larger build has more to compile. */
const WARM_UP_PAIRS = 30;

/** The time of `now` as a multiple of `before`'s, for each store and workload. */
export async function against({ before, now, rows = ROWS, pairs }, tell) {
  const results = [];
  for (const { store, workload } of rows) {
    tell(`${NAMES[workload] ?? workload}, ${store} store`);
    if (workload === 'server') {
      const { first, cpu } = await servers([before, now], pairs);
      results.push(rowOf(store, `${NAMES.server}: its first text`, first), rowOf(store, NAMES.server, cpu));
    } else {
      const count = Math.ceil(pairs * (SHARES[workload] ?? 1));
      const samples = await inTurn([before, now], [store, workload], count);
      results.push(rowOf(store, NAMES[workload] ?? workload, samples));
    }
  }
  return results;
}

/** Pairs of microseconds a run. Within a pair the builds take turns in beginning. */
async function inTurn(builds, args, pairs) {
  const sides = builds.map((dist) => {
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
    const child = fork(BATCHES, [dist, ...args], { execArgv: YOUNG, env: quietly(), stdio });
    const failed = new Promise((_, reject) => {
      child.once('exit', (code) => reject(new Error(`${dist}, ${args.join(', ')}: its process ended with ${code}`)));
    });
    failed.catch(() => {}); // whoever waits for an answer gets the failure
    return { child, answer: () => Promise.race([new Promise((resolve) => child.once('message', resolve)), failed]) };
  });
  try {
    await Promise.all(sides.map(({ answer }) => answer()));
    const batch = ({ child, answer }) => {
      child.send('batch');
      return answer();
    };
    const samples = [];
    for (let pair = 0; pair < WARM_UP_PAIRS + pairs; pair++) {
      const sample = [];
      for (const which of pair % 2 === 0 ? [0, 1] : [1, 0]) sample[which] = await batch(sides[which]);
      if (pair >= WARM_UP_PAIRS) samples.push(sample);
    }
    return samples;
  } finally {
    for (const { child } of sides) child.kill('SIGKILL');
  }
}

/** `samples` are pairs of microseconds. The quickest tenth was disturbed least. */
function rowOf(store, workload, samples) {
  const ratios = samples.map(([old, fresh]) => fresh / old);
  const times = (which) => samples.map((micros) => micros[which]);
  return {
    store,
    workload,
    times: [median(times(0)), median(times(1))],
    quarters: [0.25, 0.5, 0.75].map((share) => quantile(ratios, share)),
    quickest: quantile(times(1), 0.1) / quantile(times(0), 0.1),
  };
}

const ASKED = 10;

/** Two servers are asked in turn, one request at a time: the time to the first text, and the processor time of the server. */
async function servers(builds, pairs) {
  try {
    const clients = await started([path('clients.mjs')]);
    const model = await started([path('fake-model.mjs')]);
    const sides = [];
    for (const dist of builds) {
      const server = await started([path('serve.mjs')], {
        CADRE_BENCH_DIST: dist,
        FOLDER: servedFolder(model.address),
      });
      const auth = { authorization: `Bearer ${server.address.searchParams.get('token')}` };
      const chat = { model: 'greeter', messages: [{ role: 'user', content: 'Say hello.' }], stream: true };
      sides.push({ server, to: requestTo(server.address, '/v1/chat/completions', chat, auth) });
    }
    const ask = async ({ server, to }) => {
      const before = await cpuOf(server);
      const { times, error } = await told(clients, { ...to, count: ASKED, atOnce: 1, apartMs: 0 });
      if (error !== undefined) throw new Error(error);
      return {
        first: median(times.map(({ first }) => first)) * 1000,
        cpu: (((await cpuOf(server)) - before) / ASKED) * 1000,
      };
    };
    for (let round = 0; round < 30; round++) for (const side of sides) await ask(side); // warm
    const samples = [];
    for (let pair = 0; pair < pairs; pair++) {
      const sample = [];
      for (const which of pair % 2 === 0 ? [0, 1] : [1, 0]) sample[which] = await ask(sides[which]);
      samples.push(sample);
    }
    const of = (what) => samples.map((sample) => sample.map((one) => one[what]));
    return { first: of('first'), cpu: of('cpu') };
  } finally {
    endAll();
  }
}

export const againstTable = (results) =>
  markdown(
    ['workload', 'store', 'before, µs', 'now, µs', 'now / before', 'middle half of the pairs', 'of the quickest tenth'],
    results.map(({ workload, store, times: [before, now], quarters: [low, middle, high], quickest }) => [
      workload,
      store,
      before.toFixed(0),
      now.toFixed(0),
      middle.toFixed(2),
      `${low.toFixed(2)} to ${high.toFixed(2)}`,
      quickest.toFixed(2),
    ]),
  );
