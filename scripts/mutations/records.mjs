// The record of a test file: its tests, how long each takes, and the places of the source that it comes by. The file is run once
// for it, on source with marks. A record counts as long as the test file reads as it did: where source has changed, it knows the
// places whose text is the same.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { byText, filesBelow, isCode, root, textOf } from '../house/files.mjs';
import { targetOf } from '../house/names.mjs';
import { digest } from './digest.mjs';
import { placeNames } from './places.mjs';

const FOLDER = join(root, 'coverage/mutations/records');

/** These need a browser, or start what users start: the built command, which has no mistake in it. */
const LEFT_OUT =
  /^test\/(?:browser|crash|stories|suites)\/|^test\/(?:dist|package|docs|site|hosts|house)|\.(?:command|cli)\.test/;

const LIMITS = { testMs: 60_000, processorMs: 100_000, wallMs: 150_000 };

/** Each test file that can notice a mistake in some of the files, with these files and with all that it imports. */
export function testFilesFor(files) {
  const paths = [...filesBelow('src'), ...filesBelow('test')].filter(isCode);
  const all = new Set(paths);
  const targets = new Map(paths.map((path) => [path, targetsOf(path).filter((target) => all.has(target))]));
  return paths
    .filter((path) => path.endsWith('.test.ts') && !LEFT_OUT.test(path))
    .map((path) => ({ path, imports: reached(path, (one) => targets.get(one) ?? []) }))
    .map(({ path, imports }) => ({
      path,
      imports,
      files: files.filter((file) => imports.has(file)),
      basis: basisOf(imports),
    }))
    .filter((one) => one.files.length > 0 && !(one.path.startsWith('test/attacks/') && startsBuild(one)));
}

/** Attacks go through the built command where they can, and take long there. */
const startsBuild = ({ imports }) => BUILD.some((file) => imports.has(file));
const BUILD = ['test/support/cli.ts', 'test/support/dist.ts', 'test/support/built-worker.ts'];

/** The record of a test file. Undefined if there is none of the file as it is. */
export function keptRecord({ path, basis }) {
  const place = placeOf(path);
  const record = existsSync(place) ? JSON.parse(readFileSync(place, 'utf8')) : undefined;
  return record?.basis === basis ? record : undefined;
}

export async function takeRecord({ path, imports, basis }, tester) {
  const outcome = await tester.run({ file: path, limits: LIMITS });
  const sources = {};
  const byFile = outcome.numbers?.toSorted(([, one], [, other]) => one - other) ?? [];
  const passed = outcome.tests.filter(({ state }) => state === 'passed');
  for (const [index, [file, first]] of byFile.entries()) {
    if (!imports.has(file)) continue;
    const end = byFile[index + 1]?.[1] ?? Infinity;
    const within = (marks = []) => marks.filter((mark) => mark > first && mark < end).map((mark) => mark - first - 1);
    const tests = Object.fromEntries(
      passed.map(({ id, marks }) => [id, within(marks)]).filter(([, marks]) => marks.length > 0),
    );
    const read = digest(textOf(file));
    placeNames(file, read);
    sources[file] = { digest: read, outside: within(outcome.marks), tests };
  }
  const tests = passed.map(({ id, name, ms }) => ({ id, name, ms }));
  const startMs = outcome.ms - tests.reduce((sum, { ms }) => sum + ms, 0);
  const failed = outcome.failed.map(({ name, said }) => `${name}: ${said}`);
  const record = {
    path,
    basis,
    ended: outcome.ended,
    failed,
    errors: outcome.errors,
    ms: outcome.ms,
    startMs,
    tests,
    sources,
  };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(placeOf(path), JSON.stringify(record));
  return record;
}

/** The tests of a record that come by the place of a mistake, or by its file, where the place is newer than the record. */
export function passersBy(record, { file, place }) {
  const source = record.sources[file];
  if (source === undefined) return [];
  const number = placeNames(file, source.digest).indexOf(place);
  if (number === -1)
    return record.tests.filter(({ id }) => source.outside.length > 0 || source.tests[id] !== undefined);
  const isOutside = source.outside.includes(number);
  return record.tests.filter(({ id }) => isOutside || source.tests[id]?.includes(number));
}

const placeOf = (path) => join(FOLDER, `${path.replaceAll('/', '~')}.json`);

/** Tests and conformance suites. What they call in turn prepares their ground, and says little of what they notice. */
const basisOf = (imports) =>
  digest(
    [...imports]
      .filter((path) => /\.(?:test|conformance)\.ts$/.test(path))
      .sort(byText)
      .map((path) => `${path} ${digest(textOf(path))}`)
      .join('\n'),
  );

/** Everything that steps lead to from a file: a set goes on to what is added to it while it is read. */
function reached(file, steps) {
  const all = new Set([file]);
  for (const path of all) for (const next of steps(path)) all.add(next);
  return all;
}

const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;']*?\bfrom\s+)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

const targetsOf = (path) => [...textOf(path).matchAll(IMPORT)].map(([, one, other]) => targetOf(path, one ?? other));
