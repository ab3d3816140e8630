// Runs test files, again and again in one process: what is transformed once stays so, and each run has a fresh worker, so that
// nothing of a mistake outlives it. A process of its own, because what it starts can go wrong in any way.
//   node scripts/mutations/tester.mjs marked    on source with a mark in each place (marks.mjs)
//   node scripts/mutations/tester.mjs           on source as it is, or with one mistake
// Each message {mistake, file, ids, limits} is answered with an outcome: how the run of these tests of the file ended.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createVitest } from 'vitest/node';
import { root } from '../house/files.mjs';
import { marked, placesOf } from './operators.mjs';

const ROOMS = /^src\/(?:kernel|patterns|world|models|stores|server)\/(?!.*\.(?:test|conformance)\.ts$).*\.ts$/;
const isMarked = process.argv[2] === 'marked';
const numbers = new Map();
let next = 0;
let mistake = null;

const plugin = {
  name: 'mutation',
  enforce: 'pre',
  transform(code, id) {
    const file = relative(root, id);
    if (isMarked) return ROOMS.test(file) ? withMarks(file, code) : undefined;
    if (mistake?.file !== file) return undefined;
    return code.slice(0, mistake.start) + mistake.text + code.slice(mistake.end);
  },
};

/** The first mark of a file says that it was loaded. */
function withMarks(file, code) {
  const first = next;
  next += 1 + placesOf(code).length;
  numbers.set(file, first);
  const text = marked(code, (index) => `__passed(${first + 1 + index})`);
  return `const __passed = globalThis.__passedMark ?? (() => {}); __passed(${first}); ${text}`;
}

const vitest = await createVitest(
  'test',
  {
    root,
    watch: false,
    bail: isMarked ? 0 : 1,
    maxWorkers: 1,
    reporters: [{}],
    onConsoleLog: () => false,
    ...(isMarked ? { setupFiles: ['test/support/seed.ts', 'scripts/mutations/marks.mjs'] } : {}),
  },
  { plugins: [plugin] },
);
const project = vitest.getRootProject();

async function outcomeOf({ file, ids, limits }) {
  project.config.testTimeout = limits.testMs;
  project.config.hookTimeout = Math.max(limits.testMs, 30_000);
  vitest.state.filesMap.clear();
  const begun = Date.now();
  const guard = guarded(limits);
  const options = ids === undefined ? undefined : { testIds: ids };
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([
    project.createSpecification(join(root, file), options),
  ]);
  const cut = guard.stop();
  const [module] = testModules;
  const tests = [...(module?.children.allTests() ?? [])].map((test) => ({
    id: test.id,
    name: test.fullName,
    state: test.result().state,
    ms: Math.round(test.diagnostic()?.duration ?? 0),
    said: test.result().errors?.[0]?.message?.slice(0, 200),
    marks: test.meta().marks,
  }));
  const failed = tests.filter(({ state }) => state === 'failed');
  const errors = [...(module?.errors() ?? []), ...unhandledErrors].map(({ message }) => String(message).slice(0, 200));
  return {
    /** `endless` and `late` were stopped: the one used the processor for long, the other waited. */
    ended:
      cut ??
      (module === undefined || failed.length + errors.length > 0 || module.state() === 'failed' ? 'failed' : 'passed'),
    ms: Date.now() - begun,
    tests,
    failed,
    errors,
    marks: module?.meta().marks,
  };
}

/** Kills the worker, and all that it started, when it has used the processor or has waited for too long. */
function guarded({ processorMs, wallMs }) {
  const begun = Date.now();
  let cut;
  const timer = setInterval(() => {
    const below = processesBelow(process.pid);
    const used = below.reduce((sum, { ms }) => sum + ms, 0);
    if (used > processorMs) cut ??= 'endless';
    else if (Date.now() - begun > wallMs) cut ??= 'late';
    if (cut !== undefined) for (const { pid } of below) killed(pid);
  }, 500);
  return {
    stop() {
      clearInterval(timer);
      return cut;
    },
  };
}

function killed(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // it ended by itself
  }
}

/** The processes below one, with the time of the processor that each used. None where there is no /proc. */
function processesBelow(top) {
  const all = processes();
  const below = new Set([top]);
  for (const pid of below) for (const one of all) if (one.parent === pid) below.add(one.pid);
  return all.filter(({ pid }) => pid !== top && below.has(pid));
}

const TICK_MS = 10;

function processes() {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'utf8');
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        return [
          { pid: Number(name), parent: Number(fields[1]), ms: (Number(fields[11]) + Number(fields[12])) * TICK_MS },
        ];
      } catch {
        return []; // it ended while the folder was read
      }
    });
}

async function answer(message) {
  const changed = [mistake?.file, message.mistake?.file].filter((file) => file !== undefined);
  mistake = message.mistake ?? null;
  for (const file of new Set(changed)) vitest.invalidateFile(join(root, file));
  const outcome = await outcomeOf(message);
  process.send({ ...outcome, numbers: isMarked ? [...numbers] : undefined });
}

process.on('message', (message) => void answer(message));
process.on('disconnect', () => {
  for (const { pid } of processesBelow(process.pid)) killed(pid);
  rmSync(tmpdir(), { recursive: true, force: true });
  process.exit();
});
process.send({});
