// Cadre beside what one would take for agents that survive `kill -9`, each used as its own documentation says: what a run
// costs with persistence on, and what is made again or lost when its process is killed. Calls are counted by another
// process, and kills fall at seeded points of the run.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CALL_MS, openCounter } from './durable/counter.mjs';
import { DURABLE } from './durable/parts.mjs';
import { openRestate } from './durable/restate-server.mjs';
import { node, quietly, reason } from './processes.mjs';
import { figure, median } from './statistics.mjs';
import { markdown } from './table.mjs';

const PEERS = [
  { id: 'cadre', packages: [] },
  { id: 'langgraph', packages: ['@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite'] },
  { id: 'mastra', packages: ['@mastra/core', '@mastra/libsql'] },
  { id: 'restate', packages: ['@restatedev/restate-sdk', '@restatedev/restate-server', 'ai-7'] },
];
const WORKLOADS = Object.keys(DURABLE);
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** `part` is `times`, `kills` or undefined for both. */
export async function measureDurable({ part, rounds, kills, quick, version, env, tell }) {
  const scratch = mkdtempSync(join(process.env.CADRE_BENCH_SCRATCH, 'durable-'));
  const isInstalled = ({ packages }) => packages.every((one) => existsSync(path(`node_modules/${one}/package.json`)));
  const peers = PEERS.filter(isInstalled);
  for (const { id } of PEERS.filter((one) => !isInstalled(one)))
    tell(`${id} is not installed. To measure it too: npm --prefix bench ci`);
  const server = peers.some(({ id }) => id === 'restate') ? await openRestate(scratch) : undefined;
  const context = { env: { ...env, ...server?.env }, scratch, tell };
  try {
    const rows = await Promise.all(
      peers.map(async ({ id }) => {
        const { name } = await import(`./durable/${id}.mjs`);
        return { id, name: id === 'cadre' ? `${name} ${version}` : name };
      }),
    );
    const parts = [];
    if (part !== 'kills') parts.push(['durable-times', await times(rows, rounds, quick, context)]);
    if (part !== 'times') parts.push(['durable-kills', await killed(rows, kills, context)]);
    return parts;
  } finally {
    server?.close();
  }
}

async function times(rows, rounds, quick, { env, scratch, tell }) {
  const budget = quick ? ['200', '200'] : ['800', '800'];
  const samples = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const workload of WORKLOADS) {
      for (const { id } of rows) {
        tell(`round ${round + 1}/${rounds} ${workload} ${id}`);
        const dir = mkdtempSync(join(scratch, 'time-'));
        const key = `${id} ${workload}`;
        try {
          const { stdout } = await node([path('durable/time.mjs'), id, workload, dir, ...budget], { env });
          const { micros } = JSON.parse(stdout.trim().split('\n').at(-1));
          samples.set(key, [...(samples.get(key) ?? []), micros / DURABLE[workload].units]);
        } catch (error) {
          tell(`${key}: ${reason(error)}`);
        }
      }
    }
  }
  const middle = (id, workload) => {
    const found = samples.get(`${id} ${workload}`);
    return found === undefined ? undefined : median(found);
  };
  const cell = (id, workload) => {
    const [mine, cadre] = [middle(id, workload), middle('cadre', workload)];
    if (mine === undefined) return 'failed';
    return id === 'cadre' || cadre === undefined ? figure(mine) : `${figure(mine)} · ×${figure(mine / cadre)}`;
  };
  return markdown(
    ['', ...WORKLOADS.map((workload) => `${workload} µs/${DURABLE[workload].unit}`)],
    rows.map(({ id, name }) => [name, ...WORKLOADS.map((workload) => cell(id, workload))]),
  );
}

async function killed(rows, kills, context) {
  const counter = await openCounter();
  const lines = [];
  for (const { id, name } of rows) {
    for (const workload of WORKLOADS) {
      const sum = { kills: 0, finished: 0, repeated: 0, cutOff: 0, lost: 0, why: new Map() };
      for (let seed = 1; sum.kills < kills && seed < 4 * kills; seed++) {
        context.tell(`${id} ${workload}, kill ${sum.kills + 1}/${kills}`);
        await trial({ id, workload, seed, kills }, sum, counter, context);
      }
      for (const [why, count] of sum.why) context.tell(`${id} ${workload}: ${count} × ${why}`);
      const { finished, repeated, cutOff, lost } = sum;
      lines.push([name, workload, sum.kills, finished, repeated, cutOff, lost].map(String));
    }
  }
  counter.close();
  const headings = [
    '',
    '',
    'kills',
    'calls finished before',
    'of them made again',
    'calls cut off',
    'runs lost or wrong',
  ];
  return markdown(headings, lines);
}

/** One run, killed once, and resumed until it has ended. */
async function trial({ id, workload, seed, kills }, sum, counter, { env, scratch }) {
  const { calls, text } = DURABLE[workload];
  const dir = mkdtempSync(join(scratch, 'kill-'));
  const run = `${id}-${workload}-${seed}-${process.pid}`;
  const work = (how) => start([path('durable/work.mjs'), id, workload, dir, how, run, counter.url], env);
  const random = seeded(seed);
  const first = work('start');
  // The kills are spread evenly over the calls; each falls into its call or into one of the next two.
  const call = 1 + (Math.floor(((seed - 1) * calls.length) / kills) % calls.length);
  counter.begin({ child: first.child, call, delayMs: random() * 3 * CALL_MS });
  await first.ended;
  const resumed = await work('resume').ended;
  const counted = counter.counted(calls);
  if (counted === undefined) return; // it had ended before
  sum.kills += 1;
  sum.finished += counted.finished;
  sum.repeated += counted.repeated.length;
  sum.cutOff += counted.cutOff;
  const isRight = resumed.text === text && counted.missing.length === 0;
  if (isRight) return;
  sum.lost += 1;
  const why = resumed.error ?? `answered ${resumed.text}, never called ${counted.missing.join(', ')}`;
  sum.why.set(why, (sum.why.get(why) ?? 0) + 1);
}

const RESUME_MS = 60_000;

function start(args, env) {
  const child = spawn(process.execPath, args, { env: quietly(env), stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk) => (said += chunk));
  const tooLong = setTimeout(() => child.kill('SIGKILL'), RESUME_MS);
  const ended = new Promise((resolve) => {
    child.once('close', () => {
      clearTimeout(tooLong);
      const line = said.trim().split('\n').at(-1);
      resolve(line?.startsWith('{') ? JSON.parse(line) : { error: 'it gave no answer' });
    });
  });
  return { child, ended };
}

/** mulberry32 */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
