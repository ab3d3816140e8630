// The names that somebody probably meant.

import { distanceWithin } from '../kernel/nearest.ts';

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
