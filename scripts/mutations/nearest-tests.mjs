// The test files that are nearest to a source file: the fewest imports lead from them to it, those of types left out, because
// they run nothing. Those that load the least come first. Those that start the build are left out: they take long, and do not
// see a mistake in the source.

import { isTest, textOf } from '../house/files.mjs';
import { targetOf } from '../house/names.mjs';

/** These run the build, a browser or a database that is killed, or take minutes. */
const LEFT_OUT = /^test\/(?:browser|crash|stories|replay|compositions)\/|\.(?:processes|command|cli)\.test/;

/** A test that imports one of these starts the build. */
const BUILD = new Set(['test/support/cli.ts', 'test/support/dist.ts', 'test/support/built-worker.ts']);

export function nearestTests(paths, count) {
  const targets = new Map(paths.map((path) => [path, targetsOf(path)]));
  const importers = new Map();
  for (const [path, those] of targets)
    for (const target of those) importers.set(target, (importers.get(target) ?? new Set()).add(path));
  const costs = new Map();
  const costOf = (path) => {
    if (!costs.has(path)) {
      const loaded = reached(path, (one) => targets.get(one) ?? []);
      costs.set(path, loaded.some((one) => BUILD.has(one)) ? Infinity : loaded.length);
    }
    return costs.get(path);
  };
  const isRun = (path) =>
    path.endsWith('.test.ts') && !LEFT_OUT.test(path) && !path.startsWith('web/') && costOf(path) < Infinity;
  return (file) =>
    reached(file, (path) => importers.get(path) ?? [])
      .filter((path) => isTest(path) && isRun(path))
      .slice(0, count)
      .toSorted((one, other) => costOf(one) - costOf(other));
}

/** Everything that steps lead to from a file, the nearest first: a set goes on to what is added to it while it is read. */
function reached(file, steps) {
  const all = new Set([file]);
  for (const path of all) for (const next of steps(path)) all.add(next);
  return [...all];
}

const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;']*?\bfrom\s+)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

const targetsOf = (path) => [...textOf(path).matchAll(IMPORT)].map(([, one, other]) => targetOf(path, one ?? other));
