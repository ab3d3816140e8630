// The test files that are nearest to a source file: the fewest imports lead from them to it, those of types left out, because
// they run nothing. Up to half of them have a word of the file in their names, and come first. Of the others, those that start
// the build are left out: they take long, and that part of them does not see a mistake in the source.

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
  const isRun = (path) => path.endsWith('.test.ts') && !LEFT_OUT.test(path) && !path.startsWith('web/');
  return (file) => {
    const words = wordsOf(file);
    const isNamed = (path) => wordsOf(path).some((word) => words.some((other) => word.startsWith(other)));
    const tests = reached(file, (path) => importers.get(path) ?? []).filter(
      (path) => isTest(path) && isRun(path) && (costOf(path) < Infinity || isNamed(path)),
    );
    const byCost = (one, other) => costOf(one) - costOf(other);
    const named = tests.filter(isNamed).slice(0, count / 2);
    const others = tests.filter((path) => !isNamed(path)).slice(0, count - named.length);
    return [...named.toSorted(byCost), ...others.toSorted(byCost)];
  };
}

/** The words that a file and its tests have in their names: `src/patterns/map/map-step.ts` has `map` and `step`. */
const wordsOf = (path) =>
  path
    .replace(/^(?:src\/)?[^/]*\//, '')
    .replace(/(?:\.test)?\.ts$/, '')
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2);

/** Everything that steps lead to from a file, the nearest first: a set goes on to what is added to it while it is read. */
function reached(file, steps) {
  const all = new Set([file]);
  for (const path of all) for (const next of steps(path)) all.add(next);
  return [...all];
}

const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;']*?\bfrom\s+)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

const targetsOf = (path) => [...textOf(path).matchAll(IMPORT)].map(([, one, other]) => targetOf(path, one ?? other));
