// Some of the mistakes that can be made in a room, by a seed. A mistake has its place in the order by its own text, so that a
// change elsewhere leaves the others in the sample.

import { byText, filesBelow, isCode, isTest, textOf } from '../house/files.mjs';
import { compiling } from './compiler.mjs';
import { digest } from './digest.mjs';
import { mutationsOf } from './operators.mjs';
import { namedPlaces } from './places.mjs';
import { keptAnswers } from './results.mjs';

/** So many more than asked for are compiled at once: about a fifth is refused. */
const SPARE = 1.4;

/** The sample of each room: the first mistakes in the order of the seed that the compiler lets through. */
export async function sampleOf(rooms, count, seed) {
  const kept = keptAnswers('compiles');
  const orders = rooms.map((room) => inOrder(mistakesIn(room), seed));
  const known = (mistake) => kept.of(mistake.name, sourceOf(mistake))?.compiles;
  for (;;) {
    const samples = orders.map((order) => order.filter((mistake) => known(mistake) !== false).slice(0, count));
    const next = (order, sample) => order.slice(0, Math.ceil((order.indexOf(sample.at(-1)) + 1) * SPARE));
    const unknown = samples.flatMap((sample, index) =>
      sample.every((mistake) => known(mistake))
        ? []
        : next(orders[index], sample).filter((one) => known(one) === undefined),
    );
    if (unknown.length === 0) return samples;
    const passing = new Set(await compiling(unknown));
    for (const mistake of unknown) kept.keep(mistake.name, sourceOf(mistake), { compiles: passing.has(mistake) });
  }
}

export const sourceOf = ({ file }) => digest(textOf(file));

function inOrder(mistakes, seed) {
  return mistakes
    .map((mistake) => ({ mistake, place: digest(`${seed}\n${mistake.name}`) }))
    .toSorted((one, other) => byText(one.place, other.place))
    .map(({ mistake }) => mistake);
}

export const filesOf = (room) =>
  room.endsWith('.ts') ? [room] : filesBelow(room).filter((path) => isCode(path) && !isTest(path));

function mistakesIn(room) {
  return filesOf(room).flatMap((file) => {
    const text = textOf(file);
    const places = new Map(namedPlaces(text).map(({ start, end, name }) => [`${start}-${end}`, name]));
    const withPlace = (one) => ({ ...one, place: places.get(`${one.start}-${one.end}`) });
    return named(file, mutationsOf(text)).map(withPlace);
  });
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
