// Runs the suites that measure, and writes what they measured to docs/reliability.md. Nothing in that page is typed by
// hand: a suite that tells figures (support/figures.ts) is a section of it. One part can be measured alone; the sections
// of the others stay as they are, with the date on which they were measured.
//   node test/crash/report.mjs [part or suite …] [--rounds n]
//   node test/crash/report.mjs --figures folder     what another command has measured: no suite runs

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine, refuse } from '../../scripts/command-line.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = join(root, 'docs/reliability.md');
/** The load of the minute before, without what these suites do. */
const [load] = loadavg();

/** Each is the suites whose file begins with its name; `local` has the rest. */
const PARTS = ['local', 'fleet', 'restate'];

const { values: options, positionals } = commandLine(import.meta.url, {
  most: Infinity,
  options: { rounds: { type: 'string', default: '10' }, figures: { type: 'string' } },
});
const files = readdirSync(join(root, 'test/crash')).filter((file) => file.endsWith('.test.ts'));
const known = [...PARTS, ...files.map(nameOf)];
const unknown = positionals.filter((one) => !known.includes(one));
if (unknown.length > 0)
  refuse(import.meta.url, `There is no part ${unknown.join(', ')}. Parts and suites: ${known.join(', ')}.`);

if (options.figures === undefined) measure();
else write(options.figures, recorded());

function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-figures-'));
  try {
    const { status } = spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', ...suitesOf(positionals)],
      {
        cwd: root,
        stdio: 'inherit',
        env: { ...process.env, CADRE_FIGURES: folder, CADRE_CRASH_ROUNDS: options.rounds },
      },
    );
    if (status !== 0) process.exit(status ?? 1);
    write(folder, positionals.length === 0 ? recorded().filter(({ topic }) => topic === 'Compositions') : recorded());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sections of the same topic are replaced. */
function write(folder, before) {
  const measured = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
  writeFileSync(page, pageOf(merged(before, measured.map(dated))));
  process.stdout.write('docs/reliability.md is written\n');
}

function nameOf(file) {
  return file.slice(0, -'.test.ts'.length);
}

/** Suites outside test/crash that tell figures too belong to `local`. */
function suitesOf(parts) {
  const partOf = (file) => PARTS.find((part) => file.startsWith(part)) ?? 'local';
  const wanted = parts.length === 0 ? PARTS : parts;
  const budgets = readdirSync(join(root, 'test')).filter((file) => file.startsWith('budget'));
  return [
    ...files
      .filter((file) => wanted.includes(partOf(file)) || wanted.includes(nameOf(file)))
      .map((file) => `test/crash/${file}`),
    ...(wanted.includes('local') ? budgets.map((file) => `test/${file}`) : []),
  ];
}

function dated({ topic, figures }) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const where = `Cadre ${version}, Node ${process.versions.node}, ${process.platform}, ${availableParallelism()} cores, load ${load.toFixed(1)}`;
  return { topic, figures, measured: `${new Date().toISOString().slice(0, 10)}: ${where}` };
}

/** The sections of the page as it stands. */
function recorded() {
  const [, ...sections] = readFileSync(page, 'utf8').split(/^## /m);
  return sections.flatMap((text) => {
    const [topic] = text.split('\n');
    const measured = /^Measured on (.*)\.$/m.exec(text)?.[1];
    if (measured === undefined) return []; // it explains the others
    const figures = [...text.matchAll(/^\| (.*) \| (.*) \|$/gm)]
      .slice(1)
      .map(([, what, value]) => [what, Number.isNaN(Number(value)) ? value : Number(value)]);
    return [{ topic, figures, measured }];
  });
}

/** A section that was measured now replaces the one of the same topic. */
function merged(before, now) {
  const sections = new Map([...before, ...now].map((section) => [section.topic, section]));
  return [...sections.values()].sort((left, right) => (left.topic < right.topic ? -1 : 1));
}

/** The figures that the suites have in common, summed up. */
function headline(sections) {
  const rows = sections.flatMap((section) => section.figures);
  const sum = (name) => rows.filter(([what]) => what === name).reduce((total, [, measured]) => total + measured, 0);
  const names = [
    'kills survived',
    'crashes of the database survived',
    'finished model calls repeated',
    'accepted messages lost',
    'messages taken twice',
    'budget overshoot, in USD',
  ];
  return names.map((name) => `- ${name}: **${sum(name)}**`).join('\n');
}

function pageOf(sections) {
  return [
    '# Reliability, as measured',
    '',
    'Written by `npm run reliability`; `npm run reliability -- fleet` measures one part and leaves the others as they are.',
    'Every number was counted by a test; the same suites are part of `npm test`, with fewer rounds. A run is started by the',
    'built command, its process is killed with `kill -9` at random moments (seeded, by the clock and by events seen), and',
    'resumed until it ends.',
    '',
    headline(sections),
    ...sections.flatMap(({ topic, figures: rows, measured }) => [
      '',
      `## ${topic}`,
      '',
      `Measured on ${measured}.`,
      '',
      '| what | measured |',
      '|---|---:|',
      ...rows.map(([what, value]) => `| ${what} | ${value} |`),
    ]),
    '',
    '## What these mean',
    '',
    '- *Finished* is a model call whose result is in the journal. *Cut off* is one that had begun when the process died:',
    '  it is made again, and the ledger keeps a line for the one in doubt.',
    '- *Ended at the model and not recorded* is a call whose answer was lost with its process: it is paid twice. The fleet',
    '  counts these at a model server of its own.',
    '- *From the last byte of a reply to its record* is the time in which a kill makes a call be made again although the',
    '  model has answered. The model notes when it wrote that byte, the process when its store had the record; both by the',
    '  clock of the machine, on which the model, the store and the processes share the cores. On busy cores every core also',
    '  has a process that never rests. Where other programs used the machine (a *load* above the number of cores),',
    '  the other rows are those of a busy machine, too.',
    '- *From the kill of a worker to the first event of the next one* is the time in which nobody works on a run, while a',
    '  worker waits for one. The database has to notice first that the connection of the killed process is gone.',
    '- *Compositions* are random folders of agents in a random world, killed at random events and resumed, by',
    '  `npm run compositions -- --write`. None of those that are counted hung, ended in a defect, spent over a budget or made more',
    '  calls than the check says. Each replayed identically, and ended the same after a kill where nothing in it is a race.',
    '- A tool call that had begun is made again only where its tool is marked safe to repeat.',
    '- `kill -9` is survived without `fsync`. For a loss of power, `store: {fsync: batch}` in cadre.yaml, or the setting of',
    '  the database.',
    '',
  ].join('\n');
}
