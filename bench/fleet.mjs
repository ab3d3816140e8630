// The fleet: the same five-turn run (5 model calls, 4 tool calls) on each place that can keep it, in rounds, so that what
// disturbs the machine disturbs all of them alike. The stores are a real Postgres, with fsync, and a real Restate, both from
// npm. Workers, store and this process share the cores of this machine, so the processor time of each is told too: on
// machines of their own they would not wait for each other. A place is one entry of PLACES.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as later } from 'node:timers/promises';
import { DIST, library } from './built.mjs';
import { agentText, cadreFolder } from './cadre-folder.mjs';
import { cpuMs } from './cpu.mjs';
import { startPostgres } from './postgres.mjs';
import { restateWorkers, startRestate } from './restate.mjs';
import { figure, median, quantile } from './statistics.mjs';
import { markdown } from './table.mjs';

const AT_ONCE = 100;
const FAILING = 150;

/**
 * What is measured, one after the other. `open` gives a function that starts a run and settles with its end. A place that
 * takes longer does only a `part` of the runs.
 */
const PLACES = [
  { name: 'file store', open: (parts) => here(parts.folder, undefined) },
  { name: 'Postgres, no worker', open: (parts) => here(parts.folder, parts.database) },
  { name: 'Postgres, 1 worker', open: (parts) => onWorkers(parts, 1) },
  { name: 'Postgres, 2 workers', open: (parts) => onWorkers(parts, 2) },
  { name: 'Restate, 1 worker', part: 0.3, open: (parts) => onRestate(parts, 1) },
  { name: 'Restate, 2 workers', part: 0.3, open: (parts) => onRestate(parts, 2) },
];

/** The rows of the table. */
export async function measureFleet({ quick, rounds, tell }) {
  const database = await startPostgres();
  const restate = await startRestate(started);
  const parts = { folder: fiveTurns(), address: database.url, database, restate };
  const times = new Map(PLACES.map(({ name }) => [name, { alone: [], together: [], cpu: [] }]));
  try {
    for (let round = 0; round < (quick ? 1 : rounds); round++) {
      for (const { name, open, part = 1 } of PLACES) {
        tell(`round ${round + 1} ${name}`);
        const place = await open(parts);
        const found = times.get(name);
        await many(place.run, (quick ? 50 : 300) * part, AT_ONCE); // warm
        found.alone.push(await alone(place.run, quick ? 10 : 60));
        const count = (quick ? 100 : 1000) * part;
        const before = usedBy(place);
        found.together.push(await many(place.run, count, AT_ONCE));
        found.cpu.push(usedBy(place).map((ms, index) => (ms - before[index]) / count));
        await place.close();
      }
    }
    tell('one append, reading, failover');
    const rest = [await appends(parts, quick), await reading(parts), await failover(parts, quick ? 20 : FAILING)];
    return [speedTable(times), markdown(['', 'measured'], rest.flat())].join('\n\n');
  } finally {
    database.close();
    restate.close();
    for (const child of started) if (child.pid !== restate.pid) child.kill('SIGKILL');
  }
}

/** So that none outlives a measurement that failed. */
const started = new Set();

function speedTable(times) {
  const base = median(times.get(PLACES[0].name).together);
  const rows = [...times].map(([name, { alone: one, together, cpu }]) => [
    name,
    figure(1000 / median(one)),
    figure(median(one)),
    figure(median(together)),
    (median(together) / base).toFixed(2),
    [0, 1, 2].map((index) => spent(median(cpu.map((used) => used[index])))).join(' / '),
  ]);
  const titles = ['', 'runs/s, 1 at a time', 'ms a run', `runs/s, ${AT_ONCE} at once`, 'of the file store'];
  return markdown([...titles, 'CPU ms a run at once: who asks / store / workers'], rows);
}

const spent = (ms) => (ms === 0 ? '–' : Number.isNaN(ms) ? 'not known' : figure(ms));

/** Processor time so far: of this process, of the store, and of the workers together. */
function usedBy({ store, workers = [] }) {
  const { user, system } = process.cpuUsage();
  const sum = (all) => all.reduce((total, { pid }) => total + (cpuMs(pid) ?? Number.NaN), 0);
  return [(user + system) / 1000, sum(store === undefined ? [] : [store]), sum(workers)];
}

const fiveTurns = () =>
  cadreFolder(
    {
      worker: agentText('description: Adds numbers.\ntools: [files]\nmaxTurns: 6', 'You look at files.'),
      hanging: agentText('description: Hangs.', 'You hang.'),
    },
    'agents:\n  worker:\n    - { call: { list_files: {} }, repeat: 4, usage: { input: 10, output: 5 } }\n' +
      '    - { answer: "done", usage: { input: 10, output: 5 } }\n  hanging:\n    - { fault: hang, answer: never }\n',
  );

/** The median time of one run, in milliseconds. */
async function alone(run, count) {
  const samples = [];
  for (let index = 0; index < count; index++) {
    const begin = performance.now();
    await run();
    samples.push(performance.now() - begin);
  }
  return median(samples);
}

/** Runs per second. */
async function many(run, count, atOnce) {
  let left = count;
  const begin = performance.now();
  const line = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, line));
  return (count * 1000) / (performance.now() - begin);
}

function answered({ kind, text }) {
  if (kind !== 'answered' || text !== 'done') throw new Error(`A run ended as ${kind}: ${text}`);
}

async function here(folder, store) {
  const { loadCadre } = await library();
  const cadre = await loadCadre(folder, store === undefined ? {} : { store: store.url });
  const run = async () => answered(await (await cadre.run('worker', 'go')).outcome());
  return { run, close: () => cadre.close(), store };
}

async function onWorkers({ folder, database }, count) {
  const workers = [];
  for (let index = 0; index < count; index++) workers.push(await startWorker(folder, database.url, `w${index}`));
  return leftTo(workers, folder, database);
}

async function onRestate({ folder, restate }, count) {
  return leftTo(await restateWorkers({ folder, address: restate.url, count }, started), folder, restate);
}

async function leftTo(workers, folder, store) {
  const { loadCadre } = await library();
  const cadre = await loadCadre(folder, { store: store.url });
  const run = async () => answered(await cadre.engine.outcome((await cadre.spawn('worker', 'go')).run));
  const close = async () => {
    for (const worker of workers) await ended(worker, 'SIGKILL');
    await cadre.close();
  };
  return { run, close, workers, store };
}

async function startWorker(folder, address, name) {
  const args = [`${DIST}/cli/main.js`, 'worker', folder, '--name', name, '--most', '200'];
  const env = { ...process.env, CADRE_STORE: address };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('takes runs of')) break;
  child.stderr.resume();
  started.add(child);
  return child;
}

function ended(child, signal) {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return gone;
}

/** Appends of what a turn records: one after the other in one run, then in many runs at the same time. */
async function appends({ folder, address }, quick) {
  const { loadCadre } = await library();
  const cadre = await loadCadre(folder, { store: address });
  const at = Date.now();
  const begun = async (name) => {
    const run = `bench-${process.pid}-${at}-${name}`;
    const lease = await cadre.store.claim(run, 0);
    const start = { type: 'run-start', seq: 0, at, version: 3, kernel: 2, run, agent: 'worker', input: { text: 'go' } };
    await lease.append([{ ...start, folder, texts: {} }]);
    return { run, lease };
  };
  const write = async ({ lease }, count, samples) => {
    for (let seq = 1; seq <= count; seq++) {
      const begin = performance.now();
      await lease.append([{ type: 'fact', seq, at, key: `k${seq}`, value: 'x'.repeat(380) }]);
      samples.push(performance.now() - begin);
    }
  };
  const one = await begun('one');
  const samples = [];
  await write(one, quick ? 100 : 1000, samples);
  const many = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => begun(String(index))));
  const each = quick ? 10 : 50;
  const begin = performance.now();
  await Promise.all(many.map((lease) => write(lease, each, [])));
  const perSecond = (many.length * each * 1000) / (performance.now() - begin);
  for (const { run, lease } of [one, ...many]) {
    await lease.release();
    await cadre.store.remove(run);
  }
  await cadre.close();
  const ms = (share) => figure(quantile(samples, share));
  return [
    ['Postgres: one append of 450 B, p50 / p90 / p99', `${ms(0.5)} / ${ms(0.9)} / ${ms(0.99)} ms`],
    [`Postgres: appends a second, in ${AT_ONCE} runs at once`, figure(perSecond)],
  ];
}

async function reading({ folder, address }) {
  const { loadCadre } = await library();
  const cadre = await loadCadre(folder, { store: address });
  const { store } = cadre;
  const count = (await store.list()).length;
  const [{ run }] = await store.list({ limit: 1, state: 'ended' });
  const timed = async (work) => {
    const samples = [];
    for (let index = 0; index < 50; index++) {
      const begin = performance.now();
      await work();
      samples.push(performance.now() - begin);
    }
    return `${figure(median(samples))} ms`;
  };
  const whole = async () => {
    for await (const event of store.read(run)) void event;
  };
  const rows = [
    [
      `Postgres: the newest 20 of ${count.toLocaleString('en-US')} runs with their summaries`,
      await timed(() => store.list({ limit: 20 })),
    ],
    ['Postgres: all events of one run', await timed(whole)],
    [
      'Postgres: what a kept run takes on the disk, with its indexes',
      `${figure((await sizeOf(address)) / count / 1000)} kB`,
    ],
  ];
  await cadre.close();
  return rows;
}

/** The bytes of all tables and indexes of the store. */
async function sizeOf(address) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  const { rows } = await client.query(
    "select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where relkind = 'r' and relname like 'cadre_%'",
  );
  await client.end();
  return rows[0].bytes;
}

/** How long after kill -9 of their worker the runs are at work elsewhere. */
async function failover({ folder, address }, count) {
  const { loadCadre } = await library();
  const cadre = await loadCadre(folder, { store: address });
  const first = await startWorker(folder, address, 'first');
  const runs = [];
  for (let index = 0; index < count; index++) runs.push((await cadre.spawn('hanging', 'go')).run);
  for (const run of runs) await eventOf(cadre, run, ({ type }) => type === 'op-start');
  const second = await startWorker(folder, address, 'second');
  const resumed = runs.map((run) => eventOf(cadre, run, ({ type, at }) => type === 'run-resume' && at > killedAt));
  let killedAt = Number.POSITIVE_INFINITY;
  await later(500); // the second one has looked, and found nothing
  killedAt = Date.now();
  first.kill('SIGKILL');
  const times = (await Promise.all(resumed)).map(({ at }) => at - killedAt);
  await ended(second, 'SIGKILL');
  for (const run of runs) await cadre.store.takeOver(run);
  for (const run of runs) await cadre.store.remove(run);
  await cadre.close();
  const ms = (share) => figure(quantile(times, share));
  return [
    [
      `kill -9 of a worker with ${count} runs: at work elsewhere, first / median / last`,
      `${ms(0)} / ${ms(0.5)} / ${ms(1)} ms`,
    ],
  ];
}

async function eventOf(cadre, run, fits) {
  for await (const event of cadre.engine.events(run)) if (fits(event)) return event;
  throw new Error(`run ${run} ended`);
}
