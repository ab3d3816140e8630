// Runs test files on the source with one mistake in it, and says whether one of them noticed.

import { fork } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../house/files.mjs';

/** A mistake can make a loop that never ends. A test that is stopped for it has caught it. */
const MOST_MS = 300_000;

const program = fileURLToPath(new URL('./tester.mjs', import.meta.url));

/** The test files that fail on the source as it is. Each is looked at once, when it fails on a mistake. */
const looked = new Map();

let tester;

/** True if a test fails that passes on the source as it is. */
export async function isCaught(mistake, tests) {
  let left = tests.filter((file) => looked.get(file) !== false);
  while (left.length > 0) {
    const failing = await failingOn(mistake, left);
    if (failing === undefined) return true;
    if (failing.length === 0) return false;
    for (const file of failing) if (!looked.has(file)) looked.set(file, await passes(file));
    if (failing.some((file) => looked.get(file))) return true;
    left = left.filter((file) => looked.get(file) !== false);
  }
  return false;
}

/** Ends the process that runs the tests, so that this one can end. */
export function closeTester() {
  tester?.child.disconnect();
  tester = undefined;
}

async function passes(file) {
  const isGood = (await failingOn(null, [file]))?.length === 0;
  if (!isGood) console.log(`left out, because it fails on the source as it is: ${file}`);
  return isGood;
}

/** Undefined if a mistake kept the tests from ending. */
async function failingOn(mistake, tests) {
  tester ??= await startTester();
  const { child } = tester;
  const answer = nextAnswer(tester);
  child.send({ mistake, tests });
  const failing = await answer;
  if (failing === undefined) {
    rmSync(tester.scratch, { recursive: true, force: true });
    tester = undefined;
  }
  return failing;
}

async function startTester() {
  const scratch = mkdtempSync(join(tmpdir(), 'mutation-'));
  chmodSync(scratch, 0o755); // a database that root starts runs as another user
  const child = fork(program, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
    env: { ...process.env, TMPDIR: scratch },
  });
  const started = { child, scratch };
  if ((await nextAnswer(started)) === undefined) throw new Error('The process that runs the tests did not start.');
  return started;
}

/** The files that failed. Undefined if the process ended first, or had to be killed with all that it started. */
function nextAnswer({ child }) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), MOST_MS);
    const end = (failing) => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(failing);
    };
    child.once('message', ({ failing }) => end(failing));
    child.once('exit', () => end(undefined));
  });
}
