// npm run attacks: tries every attack in test/attacks and prints a table: what was tried, and whether it held. Exits 1 if one got
// through. Needs a build.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './command-line.mjs';

commandLine(import.meta.url);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'cadre-attacks-'));
const report = join(folder, 'report.json');

try {
  spawnSync('npx', ['vitest', 'run', 'test/attacks', '--reporter=json', `--outputFile=${report}`], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const sorted = testResults.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const counts = { held: 0, 'got through': 0, 'not tried': 0 };
  const words = { passed: 'held', failed: 'got through' };
  for (const { name, assertionResults } of sorted) {
    process.stdout.write(`\n${basename(name).replace(/(\.property)?\.test\.ts$/, '')}\n`);
    for (const { title, status } of assertionResults) {
      const word = words[status] ?? 'not tried';
      counts[word] += 1;
      process.stdout.write(`  ${word.padEnd(11)}  ${title}\n`);
    }
  }
  const broken = sorted.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);
  for (const { name, message } of broken) process.stdout.write(`\n${basename(name)} could not be run: ${message}\n`);
  const total = counts.held + counts['got through'] + counts['not tried'];
  process.stdout.write(
    `\n${total} attacks: ${counts.held} held, ${counts['got through']} got through, ${counts['not tried']} not tried here\n`,
  );
  process.exitCode = counts['got through'] + broken.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
