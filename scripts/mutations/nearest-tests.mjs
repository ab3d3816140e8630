// The test files that are nearest to a source file: the fewest imports lead from them to it.

import { isTest } from '../house/files.mjs';
import { targetOf } from '../house/names.mjs';

/** These run the build, a browser or a database that is killed: they do not see a mistake in the source, or take minutes. */
const LEFT_OUT = /^test\/(?:browser|crash|stories|replay|compositions)\/|\.processes\.test|\.command\.test/;

export function nearestTests(shapes, count) {
  const importers = new Map();
  for (const { path, imports } of shapes)
    for (const { from } of imports) {
      const target = targetOf(path, from);
      if (target !== undefined) importers.set(target, (importers.get(target) ?? new Set()).add(path));
    }
  const isRun = (path) => path.endsWith('.test.ts') && !LEFT_OUT.test(path) && !path.startsWith('web/');
  return (file) => {
    const reached = new Set([file]);
    const tests = [];
    // A set goes on to what is added to it while it is read: the nearest first.
    for (const path of reached) {
      if (isTest(path) && isRun(path)) tests.push(path);
      if (tests.length === count) break;
      for (const importer of importers.get(path) ?? []) reached.add(importer);
    }
    return tests;
  };
}
