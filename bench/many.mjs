// Very many runs: at once in one process, and in one store.

import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { quietly } from './processes.mjs';
import { figure, median } from './statistics.mjs';
import { markdown } from './table.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const run = promisify(execFile);
const thousands = (count) => count.toLocaleString('en-US');

/** `part` is `live`, `store` or undefined for both. */
export async function measureMany({ part, quick, env, tell }) {
  const parts = [];
  if (part !== 'store') parts.push(['many-live', await liveRuns(quick ? 500 : 10_000, env, tell)]);
  if (part !== 'live') parts.push(['many-store', await storedRuns(quick ? 1000 : 100_000, env, tell)]);
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
    ['show', middle],
    ['show', 'last'],
  ]) {
    const shown = words.map((word) => (word === middle ? '<one in the middle>' : /\s/.test(word) ? `"${word}"` : word));
    tell(`cadre ${shown.join(' ')}`);
    const times = [];
    for (let count = 0; count < 5; count++) times.push((await command(...words)).ms);
    rows.push([`\`cadre ${shown.join(' ')}\`, with the start of the process`, `${figure(median(times))} ms`]);
  }
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
