// Patterns in which `*` stands for any text. Each part between two stars is searched for once, from left to right, so the
// time does not depend on how many stars somebody wrote.

/**
 * True if the whole text is of the pattern. `mayStandFor` says for which texts a `*` may stand. It must be true of every
 * part of a text of which it is true.
 */
export function matchesStars(pattern: string, text: string, mayStandFor: (part: string) => boolean = anyText): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end || !mayStandFor(text.slice(from, at))) return false;
    from = at + part.length;
  }
  return mayStandFor(text.slice(from, end));
}

const anyText = (): boolean => true;
