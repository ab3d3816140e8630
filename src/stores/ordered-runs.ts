// The ids of runs in order. Ids sort by time, so nearly every new one goes to the end. The newest few are found without
// sorting the rest, because most processes look at those alone.

import type { RunId } from '../journal/event.ts';

/** So few are searched for where nothing is sorted yet. */
const FEW = 512;

export class OrderedRuns {
  /** Oldest first, once they are sorted. */
  #ids: RunId[] = [];
  #isSorted = false;

  /** Replaces all. Each id once, in any order. */
  fill(ids: readonly RunId[]): void {
    this.#ids = [...ids];
    this.#isSorted = false;
  }

  get size(): number {
    return this.#ids.length;
  }

  has(run: RunId): boolean {
    const ids = this.#sorted();
    return ids[placeOf(run, ids)] === run;
  }

  /** False if it is there already. */
  add(run: RunId): boolean {
    const ids = this.#sorted();
    const place = placeOf(run, ids);
    if (ids[place] === run) return false;
    if (place === ids.length) ids.push(run);
    else ids.splice(place, 0, run);
    return true;
  }

  /** False if it is not there. */
  delete(run: RunId): boolean {
    const ids = this.#sorted();
    const place = placeOf(run, ids);
    if (ids[place] !== run) return false;
    ids.splice(place, 1);
    return true;
  }

  /** Newest first: the next of those that are older than `before`. */
  next(before: RunId | undefined, most: number): readonly RunId[] {
    if (!this.#isSorted && before === undefined && most <= FEW) return newestOf(this.#ids, most);
    const ids = this.#sorted();
    const end = before === undefined ? ids.length : placeOf(before, ids);
    return ids.slice(Math.max(0, end - most), end).reverse();
  }

  /** In no order. */
  all(): readonly RunId[] {
    return this.#ids;
  }

  #sorted(): RunId[] {
    if (!this.#isSorted) this.#ids.sort();
    this.#isSorted = true;
    return this.#ids;
  }
}

/** The place of the run, or where it would stand. */
function placeOf(run: RunId, ids: readonly RunId[]): number {
  let low = 0;
  let high = ids.length;
  const newest = ids[high - 1];
  if (newest === undefined || run > newest) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as RunId) < run) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Keeps a few, and cuts them whenever they are four times as many as wanted. */
function newestOf(ids: readonly RunId[], most: number): readonly RunId[] {
  let kept: RunId[] = [];
  let oldest = '';
  for (const run of ids) {
    if (run <= oldest) continue;
    kept.push(run);
    if (kept.length < 4 * most) continue;
    kept = kept.sort().reverse().slice(0, most);
    oldest = kept.at(-1) ?? '';
  }
  return kept.sort().reverse().slice(0, most);
}
