// Two texts, in pieces: what they share, and what differs between. Pure.

/** A text in pieces: what both sides share, and what differs between. */
export interface Pieces {
  readonly before: string;
  readonly differs: string;
  readonly after: string;
}

/** The difference of two texts: from the first word that is another one to the last. */
export function differing(left: string, right: string): readonly [Pieces, Pieces] {
  const same: Pieces = { before: left, differs: '', after: '' };
  if (left === right) return [same, same];
  const least = Math.min(left.length, right.length);
  let head = 0;
  while (head < least && left[head] === right[head]) head++;
  while (head > 0 && /\w/.test(left[head - 1] ?? '')) head--;
  let tail = 0;
  while (tail < least - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
  while (tail > 0 && /\w/.test(left[left.length - tail] ?? '')) tail--;
  const cut = (text: string): Pieces => ({
    before: text.slice(0, head),
    differs: text.slice(head, text.length - tail),
    after: text.slice(text.length - tail),
  });
  return [cut(left), cut(right)];
}
