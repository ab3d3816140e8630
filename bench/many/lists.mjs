// Lists of runs at two sizes of a store: what a request takes of the server's processor, how long its event loop is silent,
// and how long the commands take.

import { execFile, fork } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { quietly } from '../processes.mjs';
import { figure, median } from '../statistics.mjs';
import { markdown } from '../table.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const run = promisify(execFile);

const REQUESTS = [
  ['/api/runs', 'first page, with totals'],
  ['/api/runs?totals=false', 'first page'],
  ['/api/runs?together=true&totals=false', 'first page, a row for each conversation'],
  ['/api/runs?text=nowhere&totals=false', 'no hit'],
  ['/api/runs?q=nowhere&totals=false', 'no hit for a word of the filter'],
];
const COMMANDS = [['runs'], ['show', 'last'], ['runs', '--text', 'nowhere'], ['runs', '--spent']];
const TIMES = 15;

/** The folders may have been filled before: then nothing is made. */
export async function listsOfRuns(sizes, env, tell) {
  const columns = [];
  for (const size of sizes) {
    const folder = process.env.CADRE_BENCH_LISTS ?? mkdtempSync(join(process.env.CADRE_BENCH_SCRATCH, 'lists-'));
    const own = join(folder, String(size));
    tell(`${size} runs`);
    await run(process.execPath, [path('fill.mjs'), own, String(size)], { env: quietly(env) });
    columns.push([...(await overHttp(own, env, tell)), ...(await commands(own, env, tell))]);
  }
  const rows = columns[0].map(([name], at) => [name, ...columns.map((column) => column[at][1])]);
  return markdown(['', ...sizes.map((size) => `${size.toLocaleString('en-US')} runs`)], rows);
}

async function overHttp(folder, env, tell) {
  const server = fork(path('served.mjs'), [join(env.CADRE_BENCH_DIST, 'cli/main.js')], {
    cwd: folder,
    env: quietly(env),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const used = () =>
    new Promise((resolve) => {
      server.once('message', resolve);
      server.send('');
    });
  try {
    const address = await addressOf(server.stdout);
    const headers = { authorization: `Bearer ${address.searchParams.get('token')}` };
    const rows = [];
    for (const [to, name] of REQUESTS) {
      tell(to);
      const ask = async () => {
        await pause(20);
        await used();
        await (await fetch(new URL(to, address), { headers })).text();
        return used();
      };
      const first = await ask();
      const later = [];
      for (let count = 0; count < TIMES; count++) later.push(await ask());
      rows.push([`\`GET ${to}\`, ${name}: first`, shown(first)], [`… later`, shown(medianOf(later))]);
    }
    return rows;
  } finally {
    server.kill('SIGKILL');
  }
}

async function addressOf(output) {
  for await (const line of createInterface({ input: output })) {
    const found = /https?:\/\/\S+/.exec(line)?.[0];
    if (found !== undefined) return new URL(found);
  }
  throw new Error('The server told no address.');
}

const medianOf = (all) => ({
  cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
  silenceMs: median(all.map(({ silenceMs }) => silenceMs)),
});

const shown = ({ cpuMs, silenceMs }) => `${figure(cpuMs)} ms, silent ${figure(silenceMs)} ms`;

async function commands(folder, env, tell) {
  const rows = [];
  for (const words of COMMANDS) {
    tell(`cadre ${words.join(' ')}`);
    const times = [];
    for (let count = 0; count < 7; count++) {
      const begin = performance.now();
      await run(process.execPath, [join(env.CADRE_BENCH_DIST, 'cli/main.js'), ...words], {
        cwd: folder,
        env: quietly(env),
        maxBuffer: 1 << 26,
      });
      times.push(performance.now() - begin);
    }
    rows.push([`\`cadre ${words.join(' ')}\`, with the start of the process`, `${figure(median(times))} ms`]);
  }
  return rows;
}
