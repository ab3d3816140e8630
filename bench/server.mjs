// What the server adds, in one run on one machine: npm run bench -- --server. A fake model answers over HTTP. The same
// requests go to it directly, through the heads of `cadre serve`, and through a bare Hono route. The model, the server,
// the route and the clients each have a process of their own.

import { DIST } from './built.mjs';
import { memoryOfReaders } from './server/memory.mjs';
import { cpuOf, endAll, path, requestTo, servedFolder, started, told } from './server/processes.mjs';
import { figure, median, quantile } from './statistics.mjs';
import { markdown } from './table.mjs';

/**
 * What is asked, and how: clients begin evenly spread over the time of one answer. Long answers are asked for by one
 * client at a time too seldom to be worth the wait: what the server adds does not depend on them.
 */
const LATENCIES = [
  { name: '1 at a time, answers of 0.1 s', model: 'quick', atOnce: 1, count: 200, apartMs: 0 },
  { name: '50 at once, answers of 2 s', model: 'real', atOnce: 50, count: 1000, apartMs: 40 },
  { name: '50 at once, answers of 0.1 s', model: 'quick', atOnce: 50, count: 3000, apartMs: 2 },
];

export async function measure(quick) {
  try {
    return await measured(quick);
  } finally {
    endAll();
  }
}

async function measured(quick) {
  const clients = await started([path('clients.mjs')]);
  const model = await started([path('fake-model.mjs')]);
  const bare = await started([path('bare-route.mjs')], { MODEL: model.address.origin });
  const server = await started(['--expose-gc', path('serve.mjs')], {
    CADRE_BENCH_DIST: DIST,
    FOLDER: servedFolder(model.address),
  });
  const auth = { authorization: `Bearer ${server.address.searchParams.get('token')}` };
  const load = async (to, count, atOnce, apartMs = 0) => {
    const result = await told(clients, { ...to, count, atOnce, apartMs });
    if (result.error !== undefined) throw new Error(result.error);
    return result;
  };
  const parts = { model, bare, server, auth, load, share: quick ? 0.2 : 1 };
  const latency = await latencies(parts);
  const rows = await throughput(parts);
  rows.push(...(await memoryOfReaders({ server, model, auth, told, quick })));
  return [latency, markdown(['', 'measured'], rows)].join('\n\n');
}

/** What the way through the server adds to the first text and to the whole answer, and what a hand-written route does. */
async function latencies({ model, bare, server, auth, load, share }) {
  const where = '/v1/chat/completions';
  const rows = [];
  for (const { name, model: asked, atOnce, count, apartMs } of LATENCIES) {
    const chat = { model: asked, messages: [{ role: 'user', content: 'Say hello.' }], stream: true };
    const direct = { to: requestTo(model.address, where, chat), times: [], speeds: [] };
    const ways = [
      { of: 'through `cadre serve`', process: server, to: requestTo(server.address, where, chat, auth) },
      { of: 'through a bare route', process: bare, to: requestTo(bare.address, where, chat) },
    ].map((way) => ({ ...way, times: [], speeds: [], cpu: 0 }));
    const each = Math.max(atOnce, (count * share) / ROUNDS);
    const asks = async (way) => {
      const { times, perSecond } = await load(way.to, each, atOnce, apartMs);
      way.times.push(...times);
      way.speeds.push(perSecond);
    };
    for (const { to } of [direct, ...ways]) await load(to, Math.max(50, each), atOnce, apartMs); // warm
    for (let round = 0; round < ROUNDS; round++) {
      await asks(direct);
      for (const way of ways) {
        const before = await cpuOf(way.process);
        await asks(way);
        way.cpu += (await cpuOf(way.process)) - before;
      }
    }
    for (const way of ways) {
      const added = (of) =>
        [0.5, 0.99]
          .map((part) => quantile(way.times.map(of), part) - quantile(direct.times.map(of), part))
          .map((ms) => `${ms < 0 ? '' : '+'}${figure(ms)}`)
          .join(' / ');
      rows.push([
        `${name}, ${way.of}`,
        `${figure(median(direct.speeds))} and ${figure(median(way.speeds))}`,
        added(({ first }) => first),
        added(({ ms }) => ms),
        `${figure(way.cpu / way.times.length)} ms`,
      ]);
    }
  }
  return markdown(
    [
      'streamed',
      'requests/s, directly and through',
      'first text, ms, p50 / p99',
      'whole answer, ms, p50 / p99',
      'processor time',
    ],
    rows,
  );
}

const ROUNDS = 4;

async function throughput({ bare, server, auth, load, share }) {
  const count = 2000 * share;
  const route = requestTo(bare.address, '/answer', { input: 'Say hello.' });
  const run = requestTo(server.address, '/api/runs?wait=30s', { agent: 'greeter', input: 'Say hello.' }, auth);
  for (const one of [route, run]) await load(one, 500 * share, 10);
  const speeds = { route: [], run: [] };
  const cpu = { route: await cpuOf(bare), run: await cpuOf(server) };
  for (let round = 0; round < 5; round++) {
    speeds.route.push((await load(route, count / 5, 50)).perSecond);
    speeds.run.push((await load(run, count / 5, 50)).perSecond);
  }
  const each = { route: ((await cpuOf(bare)) - cpu.route) / count, run: ((await cpuOf(server)) - cpu.run) / count };
  const [bareSpeed, runSpeed] = [median(speeds.route), median(speeds.run)];
  return [
    ['requests a second of a bare Hono route that calls the same model, 50 at once', figure(bareSpeed)],
    [
      'runs a second of a one-turn agent over POST /api/runs, file store',
      `${figure(runSpeed)}, ${figure(runSpeed / bareSpeed)} of the route`,
    ],
    ['processor time of one such request, and of one such run', `${figure(each.route)} ms and ${figure(each.run)} ms`],
  ];
}
