// Very many runs: at once in one process, and in one store.

import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { runsInFolders } from './many/agents.mjs';
import { listsOfRuns } from './many/lists.mjs';
import { startPostgres } from './postgres.mjs';
import { quietly } from './processes.mjs';
import { figure, median } from './statistics.mjs';
import { markdown } from './table.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const run = promisify(execFile);
const thousands = (count) => count.toLocaleString('en-US');

/** `part` is `live`, `store`, `lists`, `agents` or undefined for all. */
export async function measureMany({ part, quick, env, tell }) {
  const parts = [];
  const isWanted = (name) => part === undefined || part === name;
  if (isWanted('live')) parts.push(['many-live', await liveRuns(quick ? 500 : 10_000, env, tell)]);
  if (isWanted('store')) parts.push(['many-store', await storedRuns(quick ? 1000 : 100_000, env, tell)]);
  if (isWanted('lists')) parts.push(['many-lists', await listsOfRuns([100, quick ? 1000 : 50_000], env, tell)]);
  if (isWanted('agents')) parts.push(['many-agents', await runsInFolders([10, quick ? 100 : 1000], env, tell)]);
  return parts;
}

const FILES = 1024;

async function liveRuns(runs, env, tell) {
  const rows = [];
  const cases = [
    ['memory store', { store: 'memory' }],
    ['file store', { store: 'file' }],
    [`file store, ulimit -n ${FILES}`, { store: 'file', files: FILES }],
    [`file store, concurrency: ${runs / 5}`, { store: 'file', atOnce: runs / 5 }],
  ];
  for (const [name, asked] of cases) {
    tell(name);
    const timed = await live({ ...asked, runs }, env);
    rows.push([
      name,
      `${figure(timed.seconds)} s`,
      `${figure(timed.ideal)} s`,
      `${figure(timed.resident)} kB`,
      timed.delay.map(figure).join(' / '),
      timed.failed === 0 ? 'all' : `${runs - timed.failed}: ${timed.why}`,
    ]);
  }
  const headings = [
    `${thousands(runs)} runs`,
    'took',
    'ideal',
    'resident at most, a run',
    'loop delay ms, p50 / p99 / max',
    'answered',
  ];
  return markdown(headings, rows);
}

async function live({ files, ...asked }, env) {
  const command = [process.execPath, '--expose-gc', path('many/live.mjs'), JSON.stringify(asked)];
  const limited = files === undefined ? command : ['sh', '-c', `ulimit -n ${files} && exec "$0" "$@"`, ...command];
  const { stdout } = await run(limited[0], limited.slice(1), { env: quietly(env), maxBuffer: 1 << 26 });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

async function storedRuns(runs, env, tell) {
  const folder = mkdtempSync(join(process.env.CADRE_BENCH_SCRATCH, 'many-'));
  tell(`${thousands(runs)} runs are made`);
  const filling = performance.now();
  await run(process.execPath, [path('many/fill.mjs'), folder, String(runs)], { env: quietly(env) });
  const filled = (performance.now() - filling) / 1000;
  const { stdout: size } = await run('du', ['-sk', join(folder, '.cadre')]);
  const ids = readdirSync(join(folder, '.cadre', 'runs')).sort();
  const middle = ids[Math.floor(ids.length / 2)];
  const command = (...words) => cli(folder, words, env);
  const rows = [
    [`${thousands(runs)} runs of one turn made, 8 at once`, `${figure(filled)} s`],
    [
      'size on disk',
      `${figure(Number(size.split('\t')[0]) / 1024)} MB, ${figure(Number(size.split('\t')[0]) / runs)} kB a run`,
    ],
  ];
  for (const words of [
    ['runs'],
    ['runs', '--agent', 'desk'],
    ['runs', '--text', 'order 999'],
    ['runs', '--text', 'nowhere'],
    ['runs', '--outcome', 'failed'],
    ['runs', '--outcome', 'broken-off'],
    SPENT,
    ['show', middle],
    ['show', 'last'],
  ]) {
    const shown = words.map((word) => (word === middle ? '<one in the middle>' : /\s/.test(word) ? `"${word}"` : word));
    tell(`cadre ${shown.join(' ')}`);
    const times = [];
    for (let count = 0; count < 5; count++) times.push((await command(...words)).ms);
    rows.push([`\`cadre ${shown.join(' ')}\`, with the start of the process`, `${figure(median(times))} ms`]);
  }
  tell('sums');
  rows.push(await spentOverHttp(folder, env), ...(await spentInPostgres(folder, runs, env)));
  tell('prune');
  const half = String(runs / 2);
  const dry = await command('runs', 'prune', '--keep', half, '--dry-run');
  const pruned = await command('runs', 'prune', '--keep', half);
  const cost = ({ ms, peakMb }) => `${figure(ms / 1000)} s, at most ${figure(peakMb)} MB`;
  rows.push(
    [`\`cadre runs prune --keep ${half} --dry-run\``, cost(dry)],
    [`\`cadre runs prune --keep ${half}\``, cost(pruned)],
  );
  return markdown(['', 'measured'], rows);
}

const SPENT = ['runs', '--spent', '--by', 'day,agent,model'];

/** The first request finds nothing in the memory of the server. */
async function spentOverHttp(folder, env, store) {
  const main = `${env.CADRE_BENCH_DIST}/cli/main.js`;
  const words = store === undefined ? [] : ['--store', store];
  const server = spawn(process.execPath, [main, 'serve', '--port', '0', '--quiet', ...words], {
    cwd: folder,
    env: quietly(env),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    let address;
    for await (const line of createInterface({ input: server.stdout })) {
      const shown = /https?:\/\/\S+/.exec(line)?.[0];
      address = shown === undefined ? undefined : new URL(shown);
      if (address !== undefined) break;
    }
    const headers = { authorization: `Bearer ${address.searchParams.get('token')}` };
    const times = [];
    for (let count = 0; count < 6; count++) {
      const begin = performance.now();
      const { total } = await (await fetch(new URL('/api/runs/spent?by=day,agent,model', address), { headers })).json();
      times.push(performance.now() - begin);
      if (!(total.runs > 0)) throw new Error('The server sums up no runs.');
    }
    return [
      `\`GET /api/runs/spent?by=day,agent,model\`${store === undefined ? '' : ' on Postgres'}, first / later`,
      `${figure(times[0])} / ${figure(median(times.slice(2)))} ms`,
    ];
  } finally {
    server.kill('SIGKILL');
  }
}

/** The rows of a real run and of its spending are copied in the database, because 100,000 runs over a connection would take minutes. */
async function spentInPostgres(folder, runs, env) {
  const database = await startPostgres();
  const client = new pg.Client({ connectionString: database.url });
  try {
    await cli(folder, ['run', 'desk', 'How many?', '--quiet', '--store', database.url], env);
    await client.connect();
    await client.query(
      `insert into cadre_run (run, epoch, events, summary, agent, outcome, started_at)
       select '20260101-' || lpad((n % 240000)::text, 6, '0') || '-' || lpad(to_hex(n), 7, '0'), epoch, events, summary, agent,
         outcome, started_at - n * 60000::bigint
       from cadre_run, generate_series(1, ${runs - 1}) as n`,
    );
    await client.query(
      `insert into cadre_spent select r.run, place, r.started_at, s.outcome, s.agent, s.model, is_agents_first, is_models_first, calls,
         input, output, usd, unpriced
       from cadre_spent s, cadre_run r where r.run <> s.run`,
    );
    await client.query('vacuum analyze');
    const times = [];
    for (let count = 0; count < 5; count++)
      times.push((await cli(folder, [...SPENT, '--store', database.url], env)).ms);
    return [
      [`\`cadre ${SPENT.join(' ')}\` on Postgres, with the start of the process`, `${figure(median(times))} ms`],
      await spentOverHttp(folder, env, database.url),
    ];
  } finally {
    await client.end();
    database.close();
  }
}

/** The time of a command, and the memory of its process at its peak, where the system tells that. */
function cli(cwd, words, env) {
  const begin = performance.now();
  const child = spawn(process.execPath, [`${env.CADRE_BENCH_DIST}/cli/main.js`, ...words], {
    cwd,
    env: quietly(env),
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  let peakMb = 0;
  const look = setInterval(() => (peakMb = Math.max(peakMb, peakOf(child.pid))), 20);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => {
      clearInterval(look);
      if (code === 0) resolve({ ms: performance.now() - begin, peakMb });
      else reject(new Error(`cadre ${words.join(' ')} ended with ${code}`));
    });
  });
}

function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
