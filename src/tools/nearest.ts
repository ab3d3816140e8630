// The names that somebody probably meant.

/** Up to `count` of the candidates, nearest first; none that is too far off to help. */
export function nearest(wanted: string, candidates: Iterable<string>, count = 3): readonly string[] {
  const target = lastSegment(wanted).toLowerCase();
  const furthest = Math.max(2, Math.floor(target.length / 3));
  return [...candidates]
    .map((path) => ({ path, distance: distance(target, lastSegment(path).toLowerCase(), furthest) }))
    .filter((candidate) => candidate.distance <= furthest)
    .sort((a, b) => a.distance - b.distance || compare(a.path, b.path))
    .slice(0, count)
    .map((candidate) => candidate.path);
}

const lastSegment = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? path;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The number of single-letter edits, or anything over `furthest` once it is known to be more. */
function distance(a: string, b: string, furthest: number): number {
  if (Math.abs(a.length - b.length) > furthest) return furthest + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
