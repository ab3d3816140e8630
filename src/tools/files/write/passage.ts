// Finds a passage in a text, and the line that comes nearest to one that is not there.

import { distanceWithin } from '../../../base/text/nearest.ts';
import type { LineMatch } from '../matcher.ts';

/** The offsets at which the passage begins, once for each place. Places may overlap. */
export function placesOf(text: string, passage: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(passage); at >= 0; at = text.indexOf(passage, at + 1)) {
    places.push(at);
    if (places.length > maxPlaces) break;
  }
  return places;
}

const maxPlaces = 1000;
const linesCompared = 20_000;
const longestCompared = 200;
const longestShown = 300;

/** The line that is most like the first line of the passage that says anything. */
export function nearestLine(text: string, passage: string): Pick<LineMatch, 'line' | 'text'> | undefined {
  const wanted = passage
    .split('\n')
    .map(comparable)
    .find((line) => line !== '');
  if (wanted === undefined) return undefined;
  let best: ReturnType<typeof nearestLine>;
  let limit = Math.max(2, Math.floor(wanted.length / 2));
  for (const [index, line] of text.split(/\r?\n/).slice(0, linesCompared).entries()) {
    const distance = distanceWithin(wanted, comparable(line), limit);
    if (distance === undefined) continue;
    best = { line: index + 1, text: line.slice(0, longestShown) };
    if (distance === 0) break;
    limit = distance - 1;
  }
  return best;
}

/** White space is what differs most often, and is not compared. */
const comparable = (line: string): string => line.replaceAll(/\s+/g, ' ').trim().slice(0, longestCompared);
