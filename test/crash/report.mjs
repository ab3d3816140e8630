// Runs the suites that measure, and writes what they measured to docs/reliability.md. Nothing in that page is typed by
// hand: a suite that tells figures (support/figures.ts) is a section of it.
//   node test/crash/report.mjs [rounds]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [rounds = '10'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'cadre-figures-'));

/** Suites outside test/crash that tell figures too are named here, where they exist. */
const suites = [
  'test/crash',
  ...readdirSync(join(root, 'test'))
    .filter((file) => file.startsWith('budget'))
    .map((file) => `test/${file}`),
];

try {
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...suites], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CADRE_FIGURES: folder, CADRE_CRASH_ROUNDS: rounds },
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(join(root, 'docs/reliability.md'), page(figures()));
  process.stdout.write('docs/reliability.md is written\n');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function figures() {
  return readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
}

/** What the suites have in common, summed up. */
function headline(sections) {
  const rows = sections.flatMap((section) => section.figures);
  const sum = (name) => rows.filter(([what]) => what === name).reduce((total, [, measured]) => total + measured, 0);
  const names = ['kills survived', 'finished model calls repeated', 'budget overshoot, in USD'];
  return names.map((name) => `- ${name}: **${sum(name)}**`).join('\n');
}

function page(sections) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const where = `Cadre ${version}, Node ${process.versions.node}, ${process.platform}, ${availableParallelism()} cores`;
  const date = new Date().toISOString().slice(0, 10);
  return [
    '# Reliability, as measured',
    '',
    `Written by \`npm run reliability\` on ${date}: ${where}.`,
    'Every number was counted by a test; the same suites are part of `npm test`, with fewer rounds. A run is started by the',
    'built command, its process is killed with `kill -9` at random moments (seeded, by the clock and by events seen), and',
    'resumed until it ends.',
    '',
    headline(sections),
    ...sections.flatMap(({ topic, figures: rows }) => [
      '',
      `## ${topic}`,
      '',
      '| what | measured |',
      '|---|---:|',
      ...rows.map(([what, measured]) => `| ${what} | ${measured} |`),
    ]),
    '',
    '## What these mean',
    '',
    '- *Finished* is a model call whose result is in the journal. *Cut off* is one that had begun when the process died:',
    '  it is made again, and the ledger keeps a line for the one in doubt.',
    '- A tool call that had begun is made again only where its tool is marked safe to repeat.',
    '- `kill -9` is survived without `fsync`. For a loss of power, `store: {fsync: batch}` in cadre.yaml.',
    '',
  ].join('\n');
}
