// Plays the guard against circles: scripted sessions that go in circles, and some that only look like it, in an order
// made of a seed, through the built command. Prints a table of what was warned, ended and left alone. Needs a build.
//   npm run circles -- --runs 8 --seed 1 [--write]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './command-line.mjs';

const { values } = commandLine(import.meta.url, {
  options: {
    runs: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});

const TURNS = 16;
const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const page = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));

/** The next number of a fixed row: mulberry32. */
let state = Number(values.seed);
function upTo(most) {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
}

const calls = (count, of) => Array.from({ length: count }, (_, at) => of(at));
const file = () => `${'abc'[upTo(3)]}.txt`;

/** The calls of a session, one a turn. `circle`: it comes to nothing, so the guard should act. */
const KINDS = [
  { name: 'the same call', circle: true, plan: (read = { read_file: { path: file() } }) => calls(15, () => read) },
  {
    name: 'two calls in turn',
    circle: true,
    plan: () => calls(15, (at) => (at % 2 === 0 ? { read_file: { path: 'a.txt' } } : { list_files: {} })),
  },
  { name: 'polling of what does not change', circle: true, plan: () => calls(15, () => ({ status: { of: 'still' } })) },
  { name: 'a tool that does not exist', circle: true, plan: () => calls(15, () => ({ reed_file: { path: file() } })) },
  { name: 'wrong arguments', circle: true, plan: () => calls(15, () => ({ read_file: { file: 'a.txt' } })) },
  { name: 'polling of what changes', circle: false, plan: () => calls(15, () => ({ status: { of: 'moving' } })) },
  {
    name: 'edit and test in turn',
    circle: false,
    plan: () => calls(15, (at) => (at % 2 === 0 ? { edit: { at } } : { test: {} })),
  },
  {
    name: 'a file each',
    circle: false,
    plan: () => calls(15, (at) => ({ read_file: { path: `${at}.txt`, from: 1 + upTo(3) } })),
  },
];

const folder = mkdtempSync(join(tmpdir(), 'cadre-circles-'));
try {
  prepare();
  const rows = KINDS.map((kind) =>
    rowOf(
      kind,
      calls(Number(values.runs), () => play(kind)),
    ),
  );
  const table = [
    '| sessions that make | sessions | warned | ended | at turn | left alone |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
  process.stdout.write(`${table}\n`);
  if (values.write) write(table);
  const wrong = KINDS.filter(({ circle }, index) => circle !== (rows[index]?.at(-1) === '0'));
  for (const { name } of wrong) process.stderr.write(`not as it should be: ${name}\n`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function prepare() {
  writeFileSync(
    join(folder, 'tools.mjs'),
    `let at = 0;
const parameters = { type: 'object' };
export const status = { name: 'status', description: 'Tells a state.', parameters, readOnly: true, repeat: 'safe',
  run: ({ of }) => (of === 'moving' ? \`step \${++at}\` : 'waiting') };
export const edit = { name: 'edit', description: 'Edits.', parameters, repeat: 'safe', run: () => 'edited' };
export const test = { name: 'test', description: 'Tests.', parameters, repeat: 'safe', run: () => '1 failed' };
`,
  );
  for (const name of ['a', 'b', 'c', ...calls(15, String)])
    writeFileSync(join(folder, `${name}.txt`), `This is ${name}.\nAnd\nmore.\n`);
  writeFileSync(
    join(folder, 'cadre.yaml'),
    'providers:\n  demo: { kind: scripted, script: ./demo.script.yaml }\ndefaults: { models: [demo/circles] }\nfunctions: ./tools.mjs\n',
  );
  writeFileSync(
    join(folder, 'walker.md'),
    `---\ndescription: Walks.\ntools: [files, status, edit, test]\nmaxTurns: ${TURNS}\n---\nYou walk.\n`,
  );
}

function play({ plan }) {
  const steps = [...plan().map((call) => ({ call })), { answer: 'Done.' }];
  writeFileSync(join(folder, 'demo.script.yaml'), JSON.stringify({ agents: { walker: steps } }));
  cadre('run', 'walker.md', 'Go.', '--quiet');
  const { outcome, ledger } = JSON.parse(cadre('show', 'last', '--json'));
  const told = cadre('show', 'last', '--transcript');
  return {
    ended: outcome.fault?.code === 'turns/no-progress',
    warned: told.includes('Same call, same result'),
    turns: ledger.length,
  };
}

function cadre(...args) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [cli, ...args], { cwd: folder, encoding: 'utf8' });
  if (args[0] === 'show' && status !== 0) throw new Error(stderr);
  return stdout;
}

function rowOf({ name }, played) {
  const ended = played.filter((one) => one.ended);
  const turns = ended.map((one) => one.turns);
  const range = turns.length === 0 ? '–' : [...new Set([Math.min(...turns), Math.max(...turns)])].join(' to ');
  const warned = played.filter((one) => one.warned).length;
  const alone = played.filter((one) => !one.warned && !one.ended).length;
  return [name, String(played.length), String(warned), String(ended.length), range, String(alone)];
}

function write(table) {
  const text = readFileSync(page, 'utf8');
  writeFileSync(page, text.replace(/(<!-- circles -->\n).*?(<!-- \/circles -->)/s, `$1${table}\n$2`));
}
