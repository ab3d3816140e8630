// Runs test files on the source with one mistake in it, again and again in one process: what is transformed once stays so, and
// each run has a fresh worker. A process of its own, because a mistake can make a loop that never ends.
//
// Each message {mistake, tests} is answered with {failing}: the test files that failed. `mistake` is null for the source as it is.

import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createVitest } from 'vitest/node';
import { root } from '../house/files.mjs';

let mistake = null;

const mutation = {
  name: 'mutation',
  enforce: 'pre',
  transform(code, id) {
    if (mistake === null || id !== join(root, mistake.file)) return undefined;
    return code.slice(0, mistake.start) + mistake.text + code.slice(mistake.end);
  },
};

const options = {
  root,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  testTimeout: 30_000,
  expect: { poll: { timeout: 15_000 } },
  reporters: [{}],
  onConsoleLog: () => false,
};
const vitest = await createVitest('test', options, { plugins: [mutation] });
const project = vitest.getRootProject();

async function failingIn(tests) {
  vitest.state.filesMap.clear();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    tests.map((file) => project.createSpecification(join(root, file))),
  );
  const failing = testModules.filter((one) => one.state() === 'failed').map(({ moduleId }) => relative(root, moduleId));
  // An error outside of a test belongs to a file of this run, and which one cannot be told.
  return failing.length === 0 && unhandledErrors.length > 0 ? tests : failing;
}

async function answer(message) {
  const changed = [mistake?.file, message.mistake?.file].filter((file) => file !== undefined);
  ({ mistake } = message);
  for (const file of new Set(changed)) vitest.invalidateFile(join(root, file));
  process.send({ failing: await failingIn(message.tests) });
}

process.on('message', (message) => void answer(message));
process.on('disconnect', () => {
  rmSync(tmpdir(), { recursive: true, force: true });
  process.exit();
});
process.send({ failing: [] });
