// The validator of the skill format (skills-ref) beside Cadre's reading, over the skills of public packages.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../skill-collections.mjs', import.meta.url));

export function skills() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const rows = [...stdout.matchAll(/^\| `.*$/gm)].map(([line]) => line.split('|').slice(2, -1).map(Number));
  if (rows.length === 0) throw new Error(`npm run skill-collections printed no table:\n${stderr}`);
  const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
  const [cases, refused, unnoticed] = [sum(0), sum(4), sum(5)];
  const wrong = stderr.split('\n').filter((line) => line.startsWith('not as it should be'));
  if (status !== 0 && wrong.length === 0) throw new Error(stderr);
  return { suite: 'skills', cases, passed: cases - refused - unnoticed, expected: [], wrong };
}
