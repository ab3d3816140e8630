// Runs before each test file whose source is marked, and gathers for each test the marks that it came by. Marks outside of a
// test, such as those of a module that is loaded, belong to all tests of the file.

import { afterEach, beforeEach } from 'vitest';

const MOST = 1 << 17;
const seen = new Uint8Array(MOST);
globalThis.__passedMark = (number) => {
  seen[number] = 1;
};

const outside = new Set();
/** Tests can run at the same time: what is seen then belongs to each of them. */
const running = new Map();

function gather() {
  const sets = running.size === 0 ? [outside] : [...running.values()];
  for (let number = seen.indexOf(1); number !== -1; number = seen.indexOf(1, number + 1))
    for (const set of sets) set.add(number);
  seen.fill(0);
}

beforeEach(({ task }) => {
  gather();
  running.set(task, new Set());
  task.file.meta.marks = [...outside];
});
afterEach(({ task }) => {
  gather();
  task.meta.marks = [...(running.get(task) ?? [])];
  running.delete(task);
});
