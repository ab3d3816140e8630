// Some of the mistakes that can be made in a room, by a seed. A mistake has its place in the order by its own text, so that a
// change elsewhere leaves the others in the sample.

import { createHash } from 'node:crypto';
import { byText, filesBelow, isCode, isTest, textOf } from '../house/files.mjs';
import { mutationsOf } from './operators.mjs';

export function sampleOf(room, count, seed) {
  return mistakesIn(room)
    .map((mistake) => ({ mistake, place: digest(`${seed}\n${mistake.name}`) }))
    .toSorted((one, other) => byText(one.place, other.place))
    .slice(0, count)
    .map(({ mistake }) => mistake);
}

function mistakesIn(room) {
  const files = room.endsWith('.ts') ? [room] : filesBelow(room).filter((path) => isCode(path) && !isTest(path));
  return files.flatMap((file) => named(file, mutationsOf(textOf(file))));
}

/** A file can have the same words twice: each is named by its words and the how manieth it is. */
function named(file, mutations) {
  const counts = new Map();
  return mutations.map((mutation) => {
    const nth = (counts.get(mutation.says) ?? 0) + 1;
    counts.set(mutation.says, nth);
    return { file, ...mutation, name: `${file} ${mutation.says}${nth === 1 ? '' : ` (${nth})`}` };
  });
}

export const digest = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);
