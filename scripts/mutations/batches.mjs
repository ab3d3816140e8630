// The tests that look at a mistake, in batches of one file each, and their order: those that noticed a mistake in the same file
// before, those that are nearest, then those that take the least time. A file with many tests comes with its quickest first, and
// with the others at the end.

import { dirname } from 'node:path/posix';
import { digest } from './digest.mjs';
import { passersBy } from './records.mjs';

/** So many tests of a file run at first, and so many of one beside the source. */
const FIRST = 8;
const FIRST_NEAR = 40;

/** A test file that needs so long to start, such as for a database, looks at the source beside it alone. */
const SLOW_MS = 4000;

/** Tests that run at the same time take longer together than their file, and seem to leave no time for its start. */
const LEAST_START_MS = 500;

/** Tests beside the source may take longer by this factor. */
const NEAR = 3;

/** Batches that take at most so many milliseconds in all. `noticed` counts by source file and test file. */
export function batchesFor(mistake, records, noticed, mostMs) {
  const batches = records.flatMap((record) => {
    const tests = passersBy(record, mistake).toSorted((one, other) => one.ms - other.ms);
    const first = isBeside(record.path, mistake.file) ? FIRST_NEAR : FIRST;
    return [tests.slice(0, first), tests.slice(first)]
      .filter((some) => some.length > 0)
      .map((some, part) => batchOf(record, some, part, mistake))
      .filter(({ isNear, startMs }) => isNear || startMs < SLOW_MS);
  });
  let ms = 0;
  const within = batches.sort(byRank).filter((batch, index) => {
    ms += batch.ms;
    return index === 0 || ms <= (batch.isNear ? NEAR : 1) * mostMs;
  });
  for (const batch of within) batch.rank /= 1 + 3 * (noticed.get(`${mistake.file} ${batch.file}`) ?? 0);
  return within.sort(byRank);
}

const isBeside = (path, file) => dirname(path) === dirname(file);

const byRank = (one, other) => one.part - other.part || one.rank - other.rank;

function batchOf({ path, basis, startMs: measured, tests: all }, some, part, { file }) {
  const startMs = Math.max(LEAST_START_MS, measured);
  const chosen = new Set(some);
  const tests = all.filter((one) => chosen.has(one));
  const ms = startMs + tests.reduce((sum, one) => sum + one.ms, 0);
  const isNear = isBeside(path, file);
  const isNamed = isNear && path.startsWith(file.replace(/\.ts$/, ''));
  const key = `${path} ${digest(`${basis} ${tests.map(({ id }) => id)}`)}`;
  return { file: path, tests, startMs, ms, part, isNear, rank: ms / (isNamed ? 20 : isNear ? 5 : 1), key };
}
