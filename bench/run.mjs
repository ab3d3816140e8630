// The benchmark: the same workloads on Cadre, on its peers and on a hand-written loop. One process per measurement,
// in rounds, so that what disturbs the machine disturbs all of them alike.

import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from '../scripts/command-line.mjs';
import { against, againstTable, ROWS } from './against.mjs';
import { cliAgent } from './cadre-folder.mjs';
import { diskCost } from './disk.mjs';
import { EXPERIMENTS } from './extra.mjs';
import { chosen, FRAMEWORKS } from './frameworks.mjs';
import { node, reason } from './processes.mjs';
import { machine, RESULTS, SUMMARY, write } from './report.mjs';
import { COLUMNS, comparison, markdown, medians, mediansOfAsked } from './table.mjs';

const HELP = `npm run bench -- [options]

  --only a,b       ${FRAMEWORKS.map(({ id }) => id).join(', ')},
                   or cadre (both stores), peer, floor. Default: all that is installed
  --workloads a,b  W1 to W6. Default: all
  --rounds n       how often each is measured, in turn. Default: 5
  --quick          one short round
  --samples file   adds what is measured to the samples in this file, and makes the tables of all of them: so a long
                   comparison can be measured in parts
  --extra          what only Cadre does, instead of the comparison
  --page           bytes and times of the page in a real browser, instead of the comparison
  --fleet          the stores and workers of a fleet, instead of the comparison. Default: 3 rounds
  --server         what cadre serve adds to a model call, and what readers and runs take
  --upload         the memory that uploads of 20 MiB take of cadre serve
  --durable        peers that survive a kill: what they cost, and what is made again after kill -9. Default: 24 kills a cell
  --many           10,000 live runs in one process, 100,000 runs in a store, lists of 100 and 50,000 runs,
                   and runs in folders of 10 and 1,000 agents
  --part name      only times or kills (--durable), live, store, lists or agents (--many)
  --kills n        kills in each cell of --durable
  --against folder an earlier build of Cadre to compare with this one, in short batches. No peers
  --dist folder    another build of Cadre to measure. Default: dist
  --scratch folder where runs are kept while they are measured. Default: the system's folder for such
  --write          puts the result into bench/results.md, and medians of the comparison into docs/benchmarks.md
`;

const { version: VERSION } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const WORKLOADS = ['W1', 'W2', 'W3', 'W4', 'W5', 'W6'];
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const list = (text) => text?.split(',').filter((one) => one !== '');
const tell = (text) => process.stderr.write(`${text}\n`);

const { values: options } = commandLine(import.meta.url, {
  help: HELP,
  options: {
    only: { type: 'string' },
    workloads: { type: 'string' },
    rounds: { type: 'string' },
    samples: { type: 'string' },
    quick: { type: 'boolean', default: false },
    extra: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    fleet: { type: 'boolean', default: false },
    server: { type: 'boolean', default: false },
    upload: { type: 'boolean', default: false },
    durable: { type: 'boolean', default: false },
    many: { type: 'boolean', default: false },
    part: { type: 'string' },
    kills: { type: 'string', default: '24' },
    against: { type: 'string' },
    dist: { type: 'string' },
    scratch: { type: 'string', default: tmpdir() },
    write: { type: 'boolean', default: false },
  },
});

await main().catch((error) => {
  tell(error.message);
  process.exitCode = 1;
});

async function main() {
  const loadBefore = loadavg()[0];
  const scratch = mkdtempSync(join(options.scratch, 'cadre-bench-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  process.env.CADRE_BENCH_SCRATCH = scratch;
  const env = { CADRE_BENCH_DIST: buildToMeasure() };
  const disk = diskCost(scratch);
  const { text, short, asked, parts } = await measured(env);
  const where = machine(loadBefore);
  if (parts !== undefined) return showParts(parts, where);
  const whole = `${where} · ${disk}\n\n${text}`;
  process.stdout.write(`${whole}\n`);
  if (!options.write) return;
  write(RESULTS, sectionOf(), whole);
  if (short !== undefined) write(SUMMARY, sectionOf(), `${where}\n\n${short}`);
  if (asked !== undefined) write(SUMMARY, 'asked', asked);
}

/** Each part has a section of its own, so that they can be measured one by one. */
function showParts(parts, where) {
  for (const [section, text] of parts) {
    const whole = `${where}\n\n${text}`;
    process.stdout.write(`${whole}\n\n`);
    if (options.write) write(SUMMARY, section, whole);
  }
}

function sectionOf() {
  if (options.extra) return 'extra';
  if (options.page) return 'page';
  if (options.fleet) return 'fleet';
  if (options.server) return 'server';
  return options.against === undefined ? 'peers' : 'against';
}

/** `text` is the whole result; `short` is there where a table of medians can be made of it. */
function measured(env) {
  if (options.extra) return extra(env);
  if (options.page) return page(env);
  if (options.fleet) return fleet(env);
  if (options.server) return served(env);
  if (options.upload) return uploads(env);
  if (options.durable) return durable(env);
  if (options.many) return many(env);
  return options.against === undefined ? compare(env) : beside(options.against, env);
}

/** The browser is loaded only for this. */
async function page({ CADRE_BENCH_DIST: dist }) {
  const { pageBench } = await import('./page.mjs');
  return pageBench(dist);
}

async function beside(before, { CADRE_BENCH_DIST: now }) {
  if (!existsSync(`${before}/index.js`)) throw new Error(`${before} does not hold a build of Cadre`);
  const wanted = list(options.workloads);
  const rows = ROWS.filter(({ workload }) => wanted?.includes(workload) ?? true);
  const pairs = options.quick ? 30 : 40 * Number(options.rounds ?? 5);
  return { text: againstTable(await against({ before: resolve(before), now, rows, pairs }, tell)) };
}

/** A copy, so that a build meanwhile does not change what is measured. It finds its packages as dist does. */
function buildToMeasure() {
  const dist = options.dist ?? path('../dist');
  if (!existsSync(`${dist}/index.js`)) throw new Error(`${dist} has no build of Cadre. Make one with: npm run build`);
  const copy = path(`../node_modules/.cache/cadre-bench/${process.pid}`);
  cpSync(dist, `${copy}/dist`, { recursive: true });
  cpSync(path('../package.json'), `${copy}/package.json`); // the server says its version
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  return `${copy}/dist`;
}

async function extra(env) {
  const rows = [];
  for (const name of EXPERIMENTS) {
    tell(name);
    try {
      const args = ['--expose-gc', path('extra.mjs'), name, ...(options.quick ? ['--quick'] : [])];
      const { stdout } = await node(args, { env });
      rows.push(...JSON.parse(stdout.trim().split('\n').at(-1)));
    } catch (error) {
      rows.push([name, `failed: ${reason(error)}`]);
    }
  }
  return { text: markdown(['', 'measured'], rows) };
}

async function fleet({ CADRE_BENCH_DIST: dist }) {
  process.env.CADRE_BENCH_DIST = dist;
  const { measureFleet } = await import('./fleet.mjs'); // it finds the build by the variable
  const rounds = Number(options.rounds ?? 3);
  const text = await measureFleet({ quick: options.quick, rounds, tell });
  return { text, short: text };
}

async function served({ CADRE_BENCH_DIST: dist }) {
  process.env.CADRE_BENCH_DIST = dist;
  const { measure: measureServer } = await import('./server.mjs');
  const text = await measureServer(options.quick);
  return { text, short: text };
}

async function uploads({ CADRE_BENCH_DIST: dist }) {
  process.env.CADRE_BENCH_DIST = dist;
  const { measure: measureUploads } = await import('./upload.mjs');
  return { parts: [['upload', await measureUploads(options.quick)]] };
}

async function durable(env) {
  process.env.CADRE_BENCH_DIST = env.CADRE_BENCH_DIST;
  const { measureDurable } = await import('./durable.mjs');
  const { part, quick } = options;
  const rounds = quick ? 1 : Number(options.rounds ?? 5);
  const kills = quick ? 2 : Number(options.kills);
  return { parts: await measureDurable({ part, rounds, kills, quick, version: VERSION, env, tell }) };
}

async function many(env) {
  const { measureMany } = await import('./many.mjs');
  return { parts: await measureMany({ part: options.part, quick: options.quick, env, tell }) };
}

async function compare(env) {
  const rows = await contestants(env);
  const workloads = list(options.workloads) ?? WORKLOADS;
  const unknown = workloads.filter((one) => !WORKLOADS.includes(one));
  if (unknown.length > 0) throw new Error(`There is no workload ${unknown.join(', ')}. Known: ${WORKLOADS.join(', ')}`);
  const rounds = options.quick ? 1 : Number(options.rounds ?? 5);
  const budget = options.quick ? ['300', '300'] : ['1500', '1000'];
  if (rows.some(({ kind }) => kind === 'cadre') && workloads.includes('W5')) rows.push(...commandRows());
  const earlier = samplesBefore();
  for (const row of rows) for (const [metric, values] of earlier.get(row.name) ?? []) row.values.set(metric, values);
  for (let round = 0; round < rounds; round++) {
    for (const workload of workloads) {
      for (const row of rotated(rows, round + (rows[0].values.get(workload)?.length ?? 0))) {
        tell(`round ${round + 1}/${rounds} ${workload} ${row.name}`);
        await measure(row, workload, budget, env);
      }
    }
  }
  const failures = rows.flatMap(({ name, failed }) =>
    [...failed].map(([metric, why]) => `- ${name}, ${metric}: ${why}`),
  );
  const shown = keepSamples(rows, earlier);
  const known = WORKLOADS.filter((one) => workloads.includes(one) || shown.some((row) => hasSamples(row, one)));
  const table = comparison(shown, known);
  const text = failures.length === 0 ? table : `${table}\n\nFailed:\n${[...new Set(failures)].join('\n')}`;
  return { text, short: medians(shown, known), asked: mediansOfAsked(shown) };
}

function hasSamples({ values }, workload) {
  return COLUMNS.some((one) => one.workload === workload && values.has(one.metric));
}

/** What earlier parts measured, by the name of its row. */
function samplesBefore() {
  if (options.samples === undefined || !existsSync(options.samples)) return new Map();
  const rows = JSON.parse(readFileSync(options.samples, 'utf8'));
  return new Map(rows.map(({ values, ...row }) => [row.name, Object.assign(new Map(values), { row })]));
}

/** All rows that were ever measured, in the order of the table, written to the file of samples. */
function keepSamples(rows, earlier) {
  if (options.samples === undefined) return rows;
  const names = new Set(rows.map(({ name }) => name));
  const others = [...earlier].filter(([name]) => !names.has(name));
  const all = [...rows, ...others.map(([, values]) => ({ ...values.row, values: new Map(values), failed: new Map() }))];
  const place = ({ id, kind }) =>
    kind === 'process' ? FRAMEWORKS.length : FRAMEWORKS.findIndex((one) => one.id === id);
  all.sort((left, right) => place(left) - place(right));
  const kept = all.map(({ id, kind, name, values }) => ({ id, kind, name, values: [...values] }));
  writeFileSync(options.samples, JSON.stringify(kept));
  return all;
}

async function contestants(env) {
  const isInstalled = (one) =>
    one.package === undefined || existsSync(path(`node_modules/${one.package}/package.json`));
  const wanted = chosen(list(options.only));
  if (wanted.length === 0) throw new Error(`--only ${options.only} names none of: ${FRAMEWORKS.map(({ id }) => id)}`);
  const present = wanted.filter(isInstalled);
  const missing = wanted.filter((one) => !isInstalled(one)).map((one) => one.package);
  if (missing.length > 0) tell(`Not installed: ${missing.join(', ')}. To measure them too: npm --prefix bench ci`);
  return Promise.all(
    present.map(async ({ id, kind }) => {
      const { stdout } = await node([path('name.mjs'), id], { env });
      const cold = [path('cold.mjs'), id];
      return { id, kind, name: stdout.trim(), cold, values: new Map(), failed: new Map() };
    }),
  );
}

/** Rows of the cold start alone: the command, and what Node itself takes. */
function commandRows() {
  const row = (name, cold) => ({ kind: 'process', name, cold, values: new Map(), failed: new Map() });
  const agent = cliAgent();
  return [row('`cadre run`, file store', ['CLI', 'run', agent, '42']), row('`node -e 0`', ['-e', '0'])];
}

async function measure(row, workload, budget, env) {
  try {
    if (workload === 'W5') await coldStart(row, env);
    else if (row.id !== undefined) await inside(row, workload, budget, env);
  } catch (error) {
    row.failed.set(workload, reason(error));
  }
}

async function inside({ id, values }, workload, budget, env) {
  const { stdout } = await node(['--expose-gc', path('measure.mjs'), id, workload, ...budget], { env });
  const { time, heap, first, last } = JSON.parse(stdout.trim().split('\n').at(-1));
  const keep = (metric, value) => value !== undefined && values.set(metric, [...(values.get(metric) ?? []), value]);
  keep(workload, time);
  keep('heap', heap === undefined ? undefined : Math.max(0, heap));
  keep('W6 first', first);
  keep('W6 last', last);
}

async function coldStart({ cold, values }, env) {
  const args = cold.map((arg) => (arg === 'CLI' ? `${env.CADRE_BENCH_DIST}/cli/main.js` : arg));
  for (let count = 0; count < 3; count++) {
    const { ms } = await node(args, { env });
    values.set('W5', [...(values.get('W5') ?? []), ms]);
  }
}

function rotated(rows, by) {
  return rows.map((_, index) => rows[(index + by) % rows.length]);
}
