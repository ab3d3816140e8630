// "Did you mean": the known word that is the fewest edits away, if it is near enough to be what was meant.

/** Ignores case, `-` and `_`. Ties go to the first in the order given. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const wanted = plain(word);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    const distance = distanceWithin(wanted, plain(candidate), bestDistance - 1);
    if (distance === undefined) continue;
    best = candidate;
    bestDistance = distance;
    if (distance === 0) break;
  }
  return best;
}

/** ` Did you mean "x"?`, or nothing. Append it to a sentence. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const found = nearest(word, known);
  return found === undefined || found === word ? '' : ` Did you mean "${found}"?`;
}

/** `Did you mean "x"?`, or else another sentence. */
export function meantOr(word: string, known: Iterable<string>, otherwise: string): string {
  const found = nearest(word, known);
  return found === undefined ? otherwise : `Did you mean "${found}"?`;
}

/** Up to `count` of the candidates, nearest first; none that is too far off to help. */
export function nearestNames(wanted: string, candidates: Iterable<string>, count = 3): readonly string[] {
  const target = lastSegment(wanted).toLowerCase();
  const furthest = Math.max(2, Math.floor(target.length / 3));
  const near: { readonly path: string; readonly distance: number }[] = [];
  for (const path of candidates) {
    const distance = distanceWithin(target, lastSegment(path).toLowerCase(), furthest);
    if (distance !== undefined) near.push({ path, distance });
  }
  return near
    .sort((a, b) => a.distance - b.distance || compare(a.path, b.path))
    .slice(0, count)
    .map((candidate) => candidate.path);
}

const lastSegment = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? path;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The edits between two words, where a swap of neighbours is one edit; undefined if there are more than `limit`. */
export function distanceWithin(left: string, right: string, limit: number): number | undefined {
  if (limit < 0 || Math.abs(left.length - right.length) > limit) return undefined;
  let twoBack: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    let smallest = row;
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + (same ? 0 : 1));
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) cost = Math.min(cost, twoBack[column - 2]! + 1);
      current.push(cost);
      smallest = Math.min(smallest, cost);
    }
    if (smallest > limit) return undefined;
    twoBack = previous;
    previous = current;
  }
  const distance = previous[right.length]!;
  return distance <= limit ? distance : undefined;
}

const plain = (word: string): string =>
  word
    .slice(0, 80)
    .toLowerCase()
    .replaceAll(/[-_\s]/g, '');
