// Holds the cases of a suite by others against the failures that are expected: scripts/conformance/expected has a file for each
// suite, with a reason and the cases that fail for it. A case that fails without standing there is a defect, and one
// that stands there and passes too: its line has to go.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./expected/', import.meta.url));

/**
 * The cases are {name, failure}: `failure` says what was wrong, and is undefined for a case that passed. `isPart`: they are not
 * all cases of the suite.
 */
export function judged(suite, cases, { isPart = false } = {}) {
  const file = join(folder, `${suite}.json`);
  const reasons = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const expected = new Map(Object.entries(reasons).flatMap(([why, names]) => names.map((name) => [name, why])));
  const names = new Set(cases.map(({ name }) => name));
  const failures = cases.filter(({ failure }) => failure !== undefined);
  const failed = new Set(failures.map(({ name }) => name));
  const result = {
    suite,
    cases: cases.length,
    passed: cases.length - failures.length,
    expected: Object.entries(reasons).map(([why, those]) => ({ why, cases: those.length })),
    wrong: [
      ...failures.filter(({ name }) => !expected.has(name)).map(({ name, failure }) => `${name} fails: ${failure}`),
      ...[...expected.keys()]
        .filter((name) => names.has(name) && !failed.has(name))
        .map((name) => `${name} passes now`),
      ...[...expected.keys()]
        .filter((name) => !isPart && !names.has(name))
        .map((name) => `${name} is no case of the suite`),
    ],
  };
  const reports = process.env.CADRE_SUITE_REPORTS;
  if (reports !== undefined) writeFileSync(join(reports, `${suite}.json`), JSON.stringify(result));
  return result;
}
