// Depth of YAML, found before it is parsed. The parser is recursive, and a megabyte of brackets takes the whole process
// down with it; so they are counted first, ignoring quotes.

export const MAX_YAML_DEPTH = 100;

/** The place where brackets or dashes nest by the hundred. */
export function tooDeepAt(text: string): number | undefined {
  const dashes = /^ *(?:[-?] +){100}/m.exec(text);
  if (dashes !== null) return dashes.index;
  let depth = 0;
  for (const found of text.matchAll(/[[\]{}]/g)) {
    if (found[0] === ']' || found[0] === '}') depth = Math.max(0, depth - 1);
    else if (++depth > 2 * MAX_YAML_DEPTH) return found.index;
  }
  return undefined;
}
