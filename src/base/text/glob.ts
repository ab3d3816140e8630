// Globs over paths with forward slashes: `*` and `?` within one part of a path, `**` for any number of parts. Matching
// never backtracks further than to the last star, so its time grows with pattern times path, whoever wrote
// them. `picomatch` takes a minute for eight stars on 60 letters (decision 116).

export interface Glob {
  matches(path: string): boolean;
  /** True if files below this folder may match. */
  mayLeadInto(folder: string): boolean;
  /** True if every file below this folder matches. */
  holdsAllOf(folder: string): boolean;
}

const WILD = /[*?]/;

/** The characters that other globs give a meaning to, and these do not. */
export const NOT_IN_GLOBS = /[[\]{}!\\]/;

/** `./a/` and `a/` mean everything below a; so does `a`, unless it is a file. */
export function glob(pattern: string): Glob {
  const parts = pattern.replace(/^(?:\.\/)+/, '').split('/');
  if (parts.at(-1) === '') parts.splice(-1, 1, '**');
  const isPlain = !WILD.test(parts.at(-1) ?? '');
  const below = isPlain ? [...parts, '**'] : parts;
  const matchesParts = (wanted: readonly string[], path: string): boolean =>
    wildcard(wanted, path.split('/'), '**', partMatches);
  const fixed = parts.findIndex((part) => WILD.test(part));
  const literal = fixed < 0 ? parts : parts.slice(0, fixed);
  return {
    matches: (path) => matchesParts(parts, path) || (isPlain && matchesParts(below, path)),
    mayLeadInto(folder) {
      const asked = folder.split('/');
      return literal.every((part, index) => index >= asked.length || part === asked[index]);
    },
    holdsAllOf: (folder) => below.at(-1) === '**' && matchesParts(below, folder),
  };
}

/** The parts of a folder's path that a pattern spells out: only these may lead into a folder whose name begins with a dot. */
export const spellsOut = (pattern: string, folder: string): boolean => {
  const parts = pattern.replace(/^(?:\.\/)+/, '').split('/');
  return folder.split('/').every((part, index) => !part.startsWith('.') || parts[index] === part);
};

const partMatches = (pattern: string, part: string): boolean =>
  pattern === part || (WILD.test(pattern) && wildcard(Array.from(pattern), Array.from(part), '*', letterMatches));

const letterMatches = (pattern: string, letter: string): boolean => pattern === '?' || pattern === letter;

/** True if the items match, where `star` stands for any number of them. */
function wildcard(
  pattern: readonly string[],
  items: readonly string[],
  star: string,
  matches: (pattern: string, item: string) => boolean,
): boolean {
  let at = 0;
  let afterStar = -1;
  let retryFrom = 0;
  for (let index = 0; index < items.length; ) {
    const wanted = pattern[at];
    if (wanted === star) {
      afterStar = ++at;
      retryFrom = index;
    } else if (wanted !== undefined && matches(wanted, items[index]!)) {
      at += 1;
      index += 1;
    } else if (afterStar >= 0) {
      at = afterStar;
      index = ++retryFrom;
    } else return false;
  }
  while (pattern[at] === star) at += 1;
  return at === pattern.length;
}
