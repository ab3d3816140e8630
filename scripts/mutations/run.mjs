// Runs test files on the source with one mistake in it.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../house/files.mjs';

/** A mistake can make a loop that never ends. A test that is stopped for it has caught it. */
const MOST_MS = 240_000;

/** The test files that fail on the source as it is. Each is looked at once, when it fails on a mistake. */
const looked = new Map();

/** True if a test fails that passes on the source as it is. */
export async function isCaught(mistake, tests) {
  let left = tests.filter((file) => looked.get(file) !== false);
  while (left.length > 0) {
    const report = await vitest(left, ['--bail=1'], { MUTATION: JSON.stringify(mistake) });
    if (report === undefined) return true;
    const failing = failedFiles(report);
    if (failing.length === 0) return false;
    for (const file of failing) if (!looked.has(file)) looked.set(file, await passes(file));
    if (failing.some((file) => looked.get(file))) return true;
    left = left.filter((file) => looked.get(file) !== false);
  }
  return false;
}

const failedFiles = ({ testResults }) =>
  testResults.filter(({ status }) => status !== 'passed').map(({ name }) => relative(root, name));

async function passes(file) {
  const report = await vitest([file], [], {});
  const isGood = report.success && report.numPassedTests > 0;
  if (!isGood) console.log(`left out, because it fails on the source as it is: ${file}`);
  return isGood;
}

/** Undefined if a mistake kept it from ending. */
async function vitest(tests, options, env) {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'));
  const report = join(folder, 'report.json');
  const args = ['run', '--config', 'scripts/mutations/vitest.config.ts', '--reporter=json', `--outputFile=${report}`];
  try {
    const isEnded = await ended(['node_modules/vitest/vitest.mjs', ...args, ...options, ...tests], env);
    return isEnded ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** False if it had to be killed, with all that it started. */
function ended(args, env) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    detached: true,
  });
  const { pid } = child;
  return new Promise((resolve, reject) => {
    const kill = () => pid !== undefined && process.kill(-pid, 'SIGKILL');
    const timer = env.MUTATION === undefined ? undefined : setTimeout(kill, MOST_MS);
    child.once('error', reject);
    child.once('close', (_, signal) => {
      clearTimeout(timer);
      resolve(signal === null);
    });
  });
}
