// The names of the places of a source file, in order: each is named by its words and the how manieth it is. They are kept for each
// reading of a file, so that a place is known again when the file has changed elsewhere.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, textOf } from '../house/files.mjs';
import { digest } from './digest.mjs';
import { placesOf } from './operators.mjs';

const FOLDER = join(root, 'coverage/mutations/places');
const known = new Map();

/** None for a reading of the file that nobody has kept. */
export function placeNames(file, reading = digest(textOf(file))) {
  if (!known.has(reading)) known.set(reading, namesOf(file, reading));
  return known.get(reading);
}

function namesOf(file, reading) {
  const kept = join(FOLDER, `${reading}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'));
  const text = textOf(file);
  if (digest(text) !== reading) return [];
  const names = namedPlaces(text).map(({ name }) => name);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(kept, JSON.stringify(names));
  return names;
}

/** The places of a text with their names. */
export function namedPlaces(text) {
  const counts = new Map();
  return placesOf(text).map(({ start, end }) => {
    const words = digest(text.slice(start, end));
    const nth = (counts.get(words) ?? 0) + 1;
    counts.set(words, nth);
    return { start, end, name: `${words} ${nth}` };
  });
}
