// Where the time of one workload goes: node bench/profile.mjs [adapter] [workload]. Prints the functions with the
// largest share of it, by a sampling profile of one measurement.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from '../scripts/command-line.mjs';

const [id = 'cadre-memory', workload = 'W1'] = commandLine(import.meta.url, { most: 2 }).positionals;
const SHOWN = 12;

const folder = mkdtempSync(join(tmpdir(), 'cadre-profile-'));
try {
  const measure = fileURLToPath(new URL('measure.mjs', import.meta.url));
  const sampling = ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', folder];
  execFileSync(process.execPath, ['--expose-gc', ...sampling, measure, id, workload, '1500', '3000'], {
    stdio: 'ignore',
  });
  const profile = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]), 'utf8'));
  console.log(`| ${id}, ${workload} | share |\n|---|---:|`);
  for (const [name, share] of shares(profile).slice(0, SHOWN))
    console.log(`| ${name} | ${(share * 100).toFixed(1)} % |`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function shares({ nodes, samples, timeDeltas }) {
  const names = new Map(nodes.map(({ id: node, callFrame }) => [node, callFrame.functionName || '(anonymous)']));
  const sums = new Map();
  samples.forEach((node, index) => sums.set(names.get(node), (sums.get(names.get(node)) ?? 0) + timeDeltas[index]));
  const total = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  return [...sums].map(([name, sum]) => [name, sum / total]).sort((left, right) => right[1] - left[1]);
}
