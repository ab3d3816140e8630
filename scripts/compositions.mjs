// Plays random compositions of agents and holds them to the laws in test/compositions/laws.ts.
//   npm run compositions -- --runs 10000 --seed 1             in batches, one after the other
//   npm run compositions -- --runs 10000 --seed 1 --write     and writes their section of docs/reliability.md
// A batch that held is kept in coverage/compositions.jsonl: a command that was broken off goes on after it, as long as
// neither the source nor the laws have changed.
// A failure prints the smallest composition that still fails, and the command that plays it again: --seed 1000003 --path 12:3:1

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine } from './command-line.mjs';
import { filesBelow } from './house/files.mjs';

const { values } = commandLine(import.meta.url, {
  options: {
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    path: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const KEPT = 'coverage/compositions.jsonl';
const BATCH = 250;
/** A batch has a seed of its own, so that each is a run of its own. */
const seedOf = (batch) => Number(values.seed) * 1_000_000 + batch;

if (values.path !== undefined) {
  process.exitCode = play({ runs: Number(values.runs), seed: values.seed, path: values.path }).status;
} else {
  const figures = await batches(Math.ceil(Number(values.runs) / BATCH));
  if (figures === undefined) process.exitCode = 1;
  else tell(figures);
}

/** The sums of all batches. Undefined if one broke a law. */
async function batches(count) {
  const source = digestOfSource();
  const kept = keptBatches(source);
  for (let batch = 0; batch < count; batch++) {
    const key = `${seedOf(batch)}`;
    if (kept.has(key)) continue;
    const { status, figures } = play({ runs: BATCH, seed: key, path: '' });
    if (status !== 0) {
      process.stderr.write(
        `A law is broken. To play it again: npm run compositions -- --runs ${BATCH} --seed ${key} --path <path>\n`,
      );
      return undefined;
    }
    kept.set(key, figures);
    mkdirSync('coverage', { recursive: true });
    appendFileSync(KEPT, `${JSON.stringify({ source, key, figures })}\n`);
    process.stderr.write(`${(batch + 1) * BATCH} compositions\n`);
  }
  return summedUp(Array.from({ length: count }, (_, batch) => kept.get(`${seedOf(batch)}`)));
}

function keptBatches(source) {
  const lines = existsSync(KEPT) ? readFileSync(KEPT, 'utf8').split('\n') : [];
  const all = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return new Map(all.filter((one) => one.source === source).map(({ key, figures }) => [key, figures]));
}

function digestOfSource() {
  const hash = createHash('sha256');
  for (const file of [...filesBelow('src'), ...filesBelow('test/compositions')].sort())
    hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

function summedUp(all) {
  const sums = new Map();
  for (const [what, count] of all.flat()) sums.set(what, (sums.get(what) ?? 0) + count);
  const [played, rest] = [[], []];
  for (const row of [...sums].sort(([one], [other]) => (one < other ? -1 : 1)))
    (row[0].startsWith('compositions') ? played : rest).push(row);
  const total = played.reduce((sum, [, count]) => sum + count, 0);
  return [['seed', Number(values.seed)], ['compositions that obeyed the laws', total], ...played, ...rest];
}

function play({ runs, seed, path }) {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-compositions-'));
  try {
    const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/compositions'], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        CADRE_FIGURES: folder,
        COMPOSITIONS: String(runs),
        COMPOSITIONS_SEED: String(seed),
        COMPOSITIONS_PATH: path,
      },
    });
    const file = join(folder, 'compositions.json');
    return { status: status ?? 1, figures: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).figures : [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tell(figures) {
  for (const [what, count] of figures) process.stdout.write(`  ${what.padEnd(58)} ${count}\n`);
  if (!values.write) return;
  const folder = mkdtempSync(join(tmpdir(), 'cadre-compositions-'));
  try {
    writeFileSync(join(folder, 'compositions.json'), JSON.stringify({ topic: 'Compositions', figures }));
    const command = ['test/crash/report.mjs', '--figures', folder];
    process.exitCode = spawnSync(process.execPath, command, { stdio: 'inherit' }).status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
