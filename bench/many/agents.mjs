// `cadre run` in a small and a large folder of agents, of which a run reaches two.

import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { agentText } from '../cadre-folder.mjs';
import { quietly } from '../processes.mjs';
import { figure, median } from '../statistics.mjs';
import { markdown } from '../table.mjs';

const TIMES = 9;
const CONFIG = 'providers:\n  fake: { kind: scripted, script: ./s.yaml }\ndefaults: { models: [fake/model] }\n';
const SCRIPT = 'agents:\n  a0:\n    - { answer: "One." }\n  a1:\n    - { answer: "Two." }\n';

/** Tells the processor time of its process on a pipe. */
const TELLS = `data:text/javascript,import { writeSync } from 'node:fs';
process.once('exit', () => { const { user, system } = process.cpuUsage(); writeSync(3, String((user + system) / 1000)); });`;

export async function runsInFolders(sizes, env, tell) {
  const rows = [];
  for (const size of sizes) {
    tell(`${size} agents`);
    const folder = mkdtempSync(join(process.env.CADRE_BENCH_SCRATCH, 'agents-'));
    writeFileSync(join(folder, 'cadre.yaml'), CONFIG);
    writeFileSync(join(folder, 's.yaml'), SCRIPT);
    for (let index = 0; index < size; index++)
      writeFileSync(
        join(folder, `a${index}.md`),
        agentText(`description: Agent ${index}${index === 0 ? '\nnext: a1' : ''}`, 'You answer.'),
      );
    const times = [];
    for (let count = 0; count < TIMES; count++) times.push(await once(folder, env));
    const of = (key) => `${figure(median(times.map((one) => one[key])))} ms`;
    rows.push([`${size.toLocaleString('en-US')} agents`, of('cpuMs'), of('ms')]);
  }
  return markdown(['`cadre run` of an agent that leads to another one', 'processor time', 'took'], rows);
}

function once(cwd, env) {
  const begin = performance.now();
  const child = spawn(
    process.execPath,
    ['--import', TELLS, join(env.CADRE_BENCH_DIST, 'cli/main.js'), 'run', 'a0', 'hello', '--quiet'],
    { cwd, env: quietly(env), stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  let cpu = '';
  child.stdio[3].on('data', (text) => (cpu += text));
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      if (code === 0) resolve({ ms: performance.now() - begin, cpuMs: Number(cpu) });
      else reject(new Error(`cadre run ended with ${code}`));
    });
  });
}
