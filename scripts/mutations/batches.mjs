// The tests that look at a mistake, in batches of one file each, and their order: those that noticed a mistake in the same file
// before, those that are nearest, then those that take the least time. A file with many tests comes with its quickest first, and
// with the others at the end.

import { dirname } from 'node:path/posix';
import { digest } from './digest.mjs';
import { passersBy } from './records.mjs';

/** So many tests of a file run at first. */
const FIRST = 8;

/** Batches that take at most so many milliseconds in all. `noticed` counts by source file and test file. */
export function batchesFor(mistake, records, noticed, mostMs) {
  const batches = records.flatMap((record) => {
    const tests = passersBy(record, mistake).toSorted((one, other) => one.ms - other.ms);
    return [tests.slice(0, FIRST), tests.slice(FIRST)]
      .filter((some) => some.length > 0)
      .map((some, part) => batchOf(record, some, part, mistake));
  });
  let ms = 0;
  const within = batches.sort(byRank).filter((batch, index) => (ms += batch.ms) <= mostMs || index === 0);
  for (const batch of within) batch.rank /= 1 + 3 * (noticed.get(`${mistake.file} ${batch.file}`) ?? 0);
  return within.sort(byRank);
}

const byRank = (one, other) => one.part - other.part || one.rank - other.rank;

function batchOf({ path, basis, startMs, tests: all }, some, part, { file }) {
  const chosen = new Set(some);
  const tests = all.filter((one) => chosen.has(one));
  const ms = startMs + tests.reduce((sum, one) => sum + one.ms, 0);
  const isNear = dirname(path) === dirname(file);
  const isNamed = isNear && path.startsWith(file.replace(/\.ts$/, ''));
  const key = `${path} ${digest(`${basis} ${tests.map(({ id }) => id)}`)}`;
  return { file: path, tests, startMs, ms, part, rank: ms / (isNamed ? 20 : isNear ? 5 : 1), key };
}
