// What the server adds, in one run on one machine: npm run bench -- --server. A fake model answers over HTTP in a process of
// its own. The same requests go to it directly, through the heads of `cadre serve`, and through a bare Hono route; the
// server and the route each have a process of their own, and this one asks.

import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DIST } from './built.mjs';
import { figure, median, quantile } from './statistics.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const scratch = process.env.CADRE_BENCH_SCRATCH;
const children = [];
const agent = new Agent({ keepAlive: true, maxSockets: 4000 });

/** Starts a process that prints its address, and waits for it. */
function started(args, env = {}) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
    child.stdout
      .setEncoding('utf8')
      .on('data', (text) => resolve({ child, address: new URL(text.trim().split('\n')[0]) }));
  });
}

/** One request; the times to the first text and to the end, in milliseconds. */
function ask(address, where, body, headers = {}) {
  const text = JSON.stringify(body);
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: address.hostname,
        port: address.port,
        path: where,
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
      },
      (answer) => {
        let first;
        let whole = '';
        answer.setEncoding('utf8').on('data', (part) => {
          whole += part;
          if (first === undefined && /"content":"[^"]/.test(whole)) first = performance.now() - begin;
        });
        answer.on('end', () => {
          const ms = performance.now() - begin;
          if (answer.statusCode >= 400) reject(new Error(`${where}: ${answer.statusCode} ${whole.slice(0, 300)}`));
          else resolve({ first: first ?? ms, ms });
        });
      },
    );
    asked.on('error', reject);
    asked.end(text);
  });
}

/** Fifty clients of a model that takes 400 ms are evenly spread. */
const APART_MS = 8;

const CHAT = { messages: [{ role: 'user', content: 'Say hello.' }], stream: true };

/** `atOnce` clients ask one after the other until `count` requests are made. They begin `apartMs` apart, not in one burst. */
async function load(count, atOnce, one, apartMs = 0) {
  const times = [];
  let left = count;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async (_, index) => {
      await setTimeout(index * apartMs);
      while (left-- > 0) times.push(await one());
    }),
  );
  return { times, perSecond: (count * 1000) / (performance.now() - begin) };
}

function folder(model) {
  const dir = mkdtempSync(join(scratch, 'server-'));
  writeFileSync(join(dir, 'greeter.md'), '---\ndescription: Greets.\n---\nYou greet.\n');
  writeFileSync(join(dir, 'slow.md'), '---\ndescription: Greets.\nmodels: local/slow\n---\nYou greet.\n');
  writeFileSync(
    join(dir, 'cadre.yaml'),
    `providers:\n  local: { kind: openai-compatible, baseUrl: "${model.origin}/v1" }\ndefaults: { models: [local/fake] }\nserver: { maxRuns: 2000, requestsPerMinute: 10000000 }\n`,
  );
  return dir;
}

async function told({ child }, word) {
  const reply = new Promise((resolve) => child.once('message', resolve));
  child.send(word);
  return reply;
}

const memoryOf = (process) => told(process, 'memory');

/** Milliseconds of processor time so far: they say more than the clock on a machine that has other work. */
async function cpuOf(process) {
  const { cpu } = await told(process, 'cpu');
  return (cpu.user + cpu.system) / 1000;
}

export async function measure(quick) {
  try {
    return await measured(quick);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

async function measured(quick) {
  const count = quick ? 300 : 2000;
  const model = await started([path('server/fake-model.mjs')]);
  const bare = await started([path('server/bare-route.mjs')], { MODEL: model.address.origin });
  const server = await started(['--expose-gc', path('server/serve.mjs')], {
    CADRE_BENCH_DIST: DIST,
    FOLDER: folder(model.address),
  });
  const token = server.address.searchParams.get('token');
  const auth = { authorization: `Bearer ${token}` };
  const direct = () => ask(model.address, '/v1/chat/completions', { model: 'slow', ...CHAT });
  const through = () => ask(server.address, '/v1/chat/completions', { model: 'slow', ...CHAT }, auth);
  const route = () => ask(bare.address, '/answer', { input: 'Say hello.' });
  const run = () => ask(server.address, '/api/runs?wait=30s', { agent: 'greeter', input: 'Say hello.' }, auth);
  for (const one of [direct, through]) await load(quick ? 50 : 200, 50, one);
  for (const one of [route, run]) await load(quick ? 100 : 500, 10, one);

  const rows = [];
  for (const atOnce of [1, 50]) {
    const asked = atOnce === 1 ? count / 40 : count;
    const rounds = { direct: [], through: [] };
    for (let round = 0; round < 5; round++) {
      rounds.direct.push(...(await load(asked / 5, atOnce, direct, APART_MS)).times);
      rounds.through.push(...(await load(asked / 5, atOnce, through, APART_MS)).times);
    }
    const added = (share, of) => quantile(rounds.through.map(of), share) - quantile(rounds.direct.map(of), share);
    const shown = (of) => `p50 ${figure(added(0.5, of))} ms, p99 ${figure(added(0.99, of))} ms`;
    rows.push([`added to the first text through /v1/chat/completions, ${atOnce} at once`, shown(({ first }) => first)]);
    rows.push([`added to the whole answer, ${atOnce} at once`, shown(({ ms }) => ms)]);
  }
  const speeds = { route: [], run: [] };
  const cpu = { route: await cpuOf(bare), run: await cpuOf(server) };
  for (let round = 0; round < 5; round++) {
    speeds.route.push((await load(count / 5, 50, route)).perSecond);
    speeds.run.push((await load(count / 5, 50, run)).perSecond);
  }
  const each = { route: ((await cpuOf(bare)) - cpu.route) / count, run: ((await cpuOf(server)) - cpu.run) / count };
  const [bareSpeed, runSpeed] = [median(speeds.route), median(speeds.run)];
  rows.push(['requests a second of a bare Hono route that calls the same model, 50 at once', figure(bareSpeed)]);
  rows.push([
    'runs a second of a one-turn agent over POST /api/runs, file store',
    `${figure(runSpeed)}, ${figure(runSpeed / bareSpeed)} of the route`,
  ]);
  rows.push([
    'processor time of one such request, and of one such run',
    `${figure(each.route)} ms and ${figure(each.run)} ms`,
  ]);
  rows.push(...(await memory(server, model, auth, quick)));
  return rows;
}

/** Readers of one run that is at work, and runs at work: what each takes, in the memory of the whole process. */
async function memory(server, model, auth, quick) {
  const readers = quick ? 200 : 1000;
  const live = quick ? 100 : 500;
  model.child.send('hold');
  const start = async () =>
    (await answerOf(server.address, '/api/runs', { agent: 'greeter', input: 'Wait.' }, auth)).run;
  const run = await start();
  const idle = await memoryOf(server);
  const open = await Promise.all(
    Array.from({ length: readers }, () => reader(server.address, `/api/runs/${run}/events`, auth)),
  );
  const reading = await memoryOf(server);
  const runs = await Promise.all(Array.from({ length: live }, start));
  const working = await memoryOf(server);
  model.child.send('release');
  await Promise.all(open.map(({ ended }) => ended));
  const seen = new Set(open.map(({ count }) => count()));
  if (seen.size !== 1) throw new Error(`Readers got different numbers of events: ${[...seen]}`);
  await Promise.all(
    runs.map((one) => reader(server.address, `/api/runs/${one}/events`, auth).then(({ ended }) => ended)),
  );
  const each = (after, before, count) =>
    `${figure((after.heapUsed + after.external - before.heapUsed - before.external) / 1024 / count)} kB of heap, ${figure((after.rss - before.rss) / 1024 / count)} kB of resident memory`;
  return [
    [`one of ${readers.toLocaleString('en-US')} readers of a run that is at work`, each(reading, idle, readers)],
    [`one of ${live} runs at work, each with a model call out`, each(working, reading, live)],
  ];
}

function answerOf(address, where, body, headers) {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: address.hostname,
        port: address.port,
        path: where,
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        let whole = '';
        answer.setEncoding('utf8').on('data', (part) => (whole += part));
        answer.on('end', () => (answer.statusCode < 400 ? resolve(JSON.parse(whole)) : reject(new Error(whole))));
      },
    );
    asked.on('error', reject);
    asked.end(text);
  });
}

/** A stream of events. Settles when its first bytes have come. */
function reader(address, where, headers) {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: address.hostname, port: address.port, path: where, agent: false, headers },
      (answer) => {
        let events = 0;
        const ended = new Promise((done) => answer.on('end', done));
        answer.setEncoding('utf8').on('data', (part) => {
          events += part.split('\nevent: journal').length - 1 + (part.startsWith('event: journal') ? 1 : 0);
          resolve({ ended, count: () => events });
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}
