// "Did you mean": the known name that is nearest to a mistyped one. Pure, and shy: far-off names are not suggested.

export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** ` Did you mean "x"?`, or nothing: made to be appended to a sentence. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const best = nearest(name, known);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}

/** Insertions, deletions, replacements and swaps of neighbours; `limit` where it would be that or more. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let before: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = above[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      let cost = Math.min(replaced, above[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1);
      }
      row.push(cost);
    }
    before = above;
    above = row;
  }
  return above[right.length]!;
}
