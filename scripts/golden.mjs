// npm run golden: writes the golden journals of this release to test/replay/<version>: runs of the examples and of test/replay/cadres
// through the built command, with the texts that they pinned. Each release writes its own once, before it ships, and
// later releases replay them (test/replay/golden.test.ts). Folders of earlier releases are never touched.
//   CADRE_CLI=<command of an earlier release> node scripts/golden.mjs circles
// writes to test/replay/<its version>-circles what that release made of the runs that a later kernel would have ended,
// compacted or offered other tools.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commandLine, refuse } from './command-line.mjs';

const { positionals } = commandLine(import.meta.url, { most: 1 });
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cli = process.env.CADRE_CLI ?? join(root, 'dist/cli/main.js');
const version = spawnSync(process.execPath, [cli, '--version'], { encoding: 'utf8' }).stdout.trim();
const onlyCircles = positionals[0] === 'circles';
if (positionals.length > 0 && !onlyCircles) refuse(import.meta.url, `There is no part ${positionals[0]}.`);
const target = join(root, 'test/replay', onlyCircles ? `${version}-circles` : version);
const store = mkdtempSync(join(tmpdir(), 'cadre-golden-'));
const odds = join(root, 'test/replay/cadres/odds');
const crew = join(root, 'test/replay/cadres/crew');
const circles = join(root, 'test/replay/cadres/circles');
/** By so many events the first helper of the example is at work. */
const WITHIN_A_HELPER = 9;

rmSync(target, { recursive: true, force: true });
mkdirSync(join(target, 'blobs'), { recursive: true });
try {
  if (onlyCircles) await keepCircles();
  else await keepRelease();
  keepBlobs();
} finally {
  rmSync(store, { recursive: true, force: true });
}
if (!onlyCircles) spawnSync(process.execPath, [join(root, 'scripts/events-page.mjs')], { stdio: 'inherit' });

async function keepRelease() {
  for (const { name, file, input } of examples()) keep(name, answered(cadre('run', file, input, '--quiet')));
  keep('odds', answered(cadre('run', join(odds, 'counter.md'), 'Count.', '--approve=list_files', '--quiet')));
  keep('exhausted', cadre('run', join(odds, 'tireless.md'), 'Look.', '--quiet'));
  const [first] = examples();
  await killedAfter(6, 'run', first.file, first.input, '--json');
  keep('broken-off', cadre('show', 'last', '--json'));
  keep('resumed', answered(cadre('resume', 'last', '--quiet')));
  keep('forked', answered(cadre('fork', 'last', '--at', lastModelOp(), '--quiet')));
  keep('reached', await reached());
  keep('crew', answered(cadre('run', join(crew, 'captain.md'), 'Do we sail?', '--quiet')));
  keep('crew-forked', answered(cadre('fork', 'last', '--at', lastModelOp(), '--quiet')));
  keep('over-budget', cadre('run', join(crew, 'thrifty.md'), 'Look.', '--quiet'));
  for (const { name, file, input } of examples().filter((example) => example.name.startsWith('subagent'))) {
    await killedAfter(WITHIN_A_HELPER, 'run', file, input, '--json');
    keep(`${name}-resumed`, answered(cadre('resume', 'last', '--quiet')));
  }
  keep('thread', answered(talked()));
}

/** A session that calls the same six times and then asks a child again, one that is killed after three such calls, and one whose window is full. */
async function keepCircles() {
  const [watcher, filler] = ['watcher.md', 'filler.md'].map((file) => join(circles, file));
  keep('watcher', answered(cadre('run', watcher, 'Watch the folder.', '--quiet')));
  keep('filler', cadre('run', filler, 'Read all pages.', '--quiet'));
  await killedAfter(14, 'run', watcher, 'Watch the folder.', '--json');
  keep('broken-off', cadre('show', 'last', '--json'));
}

/** A background run that gets a message and the answer to its question from other processes. */
async function reached() {
  answered(cadre('run', join(odds, 'counter.md'), 'Count.', '--detach'));
  while (JSON.parse(cadre('approvals', '--json').stdout).length === 0) await setTimeout(100);
  answered(cadre('runs', 'send', 'last', 'Leave out what is hidden.'));
  answered(cadre('approve', 'last', '--note', 'Go ahead.'));
  return answered(cadre('runs', 'wait', 'last'));
}

/** The second message of a conversation over a router. */
function talked() {
  const args = [cli, 'chat', join(root, 'examples/help-desk/front-desk.md'), '--quiet', '--store', store];
  const input = 'May I open my barometer to clean it?\n\nAnd my sextant?\n';
  return spawnSync(process.execPath, args, { encoding: 'utf8', input });
}

/** Runs the examples as their READMEs say. */
function examples() {
  const folder = join(root, 'examples');
  return readdirSync(folder).flatMap((example) => {
    const readme = readOrNothing(join(folder, example, 'README.md'));
    const commands = [...readme.matchAll(/^cadre run examples\/(\S+\.md) "([^"]*)"$/gm)];
    return commands.map(([, file, input], index) => ({
      name: index === 0 ? example : `${example}-${index + 1}`,
      file: join(folder, file),
      input,
    }));
  });
}

function readOrNothing(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function cadre(...args) {
  return spawnSync(process.execPath, [cli, ...args, '--store', store], { encoding: 'utf8' });
}

/** Checked, because a journal of a broken release would keep its defects for good. */
function answered(done) {
  if (done.status !== 0) throw new Error(`a run that should answer did not: ${done.stderr}`);
  return done;
}

function killedAfter(events, ...args) {
  const child = spawn(process.execPath, [cli, ...args, '--store', store]);
  let seen = 0;
  createInterface({ input: child.stdout }).on('line', () => ++seen >= events && child.kill('SIGKILL'));
  return new Promise((resolve) => child.once('close', resolve));
}

function newest() {
  return readdirSync(join(store, 'runs')).sort().at(-1);
}

function lastModelOp() {
  const { ledger } = JSON.parse(cadre('show', 'last', '--json').stdout);
  return ledger.at(-1).path;
}

/** The newest run as it is now, without the path of the folder in which it was made. */
function keep(name, { stderr }) {
  const text = readFileSync(join(store, 'runs', newest(), 'events.jsonl'), 'utf8');
  if (stderr !== '') process.stderr.write(`${name}: ${stderr}`);
  writeFileSync(join(target, `${name}.jsonl`), text.replaceAll(root, ''));
  process.stdout.write(`${name}: ${text.split('\n').length - 1} events\n`);
}

function keepBlobs() {
  const journals = readdirSync(target).filter((file) => file.endsWith('.jsonl'));
  const text = journals.map((file) => readFileSync(join(target, file), 'utf8')).join('');
  for (const digest of new Set(text.match(/\b[0-9a-f]{64}\b/g))) {
    const blob = join(store, 'blobs', digest);
    if (readOrNothing(blob) !== '') copyFileSync(blob, join(target, 'blobs', digest));
  }
}
