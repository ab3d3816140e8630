// JSON from outside, read to a fixed depth. Code that walks a value later may recurse once for each level, and a value
// that is nested too deep would overflow the stack and end the process. So such a value is refused here.
// JSON-1. The depth is found without recursion, in one pass, before anything is built.

/** An object of JSON, whatever its keys. */
export type JsonObject = { readonly [key: string]: unknown };

/** The depth to which a value from outside may be nested. */
export const MAX_DEPTH = 100;
/** The depth of a line, an event or a message that carries such a value: it has levels of its own. */
export const MAX_CARRIER_DEPTH = 200;

type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  /** `why` goes on from the name of the text, and is the same on every platform; `parser` is what the parser says. */
  | { readonly ok: false; readonly why: string; readonly parser?: string };

export const NOT_JSON = 'is not JSON';

/** Never throws: says what is wrong, and what the parser says. */
export function readJson(text: string, maxDepth: number = MAX_DEPTH): ParsedJson {
  if (isTextDeeperThan(text, maxDepth)) return { ok: false, why: tooDeep(maxDepth) };
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (thrown) {
    return { ok: false, why: NOT_JSON, parser: (thrown as Error).message };
  }
}

/** Throws a `SyntaxError` for what is not JSON, and for what is nested too deep. */
export function parseJson(text: string): unknown {
  const read = readJson(text);
  if (!read.ok) throw new SyntaxError(read.parser ?? `it ${read.why}`);
  return read.value;
}

/** The value, or undefined for a text that is no JSON, or is nested too deep. */
export function jsonValue(text: string): unknown {
  const read = readJson(text);
  return read.ok ? read.value : undefined;
}

/** The message for the author of the text. */
export const explainJsonError = ({ why, parser }: Extract<ParsedJson, { ok: false }>): string =>
  parser === undefined ? why : `${why}: ${parser}`;

const tooDeep = (maxDepth: number): string => `is nested more than ${maxDepth} levels deep`;

export const TOO_DEEP = tooDeep(MAX_DEPTH);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENS_LIST = 0x5b;
const CLOSES_LIST = 0x5d;
const OPENS_OBJECT = 0x7b;
const CLOSES_OBJECT = 0x7d;

/** JSON-1. The answer means nothing for a text that is not JSON: the parser says what is wrong with that. */
function isTextDeeperThan(text: string, maxDepth: number): boolean {
  if (text.length <= 2 * maxDepth) return false; // each level takes two brackets
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === OPENS_LIST || code === OPENS_OBJECT) {
      depth++;
      if (depth > maxDepth) return true;
    } else if (code === CLOSES_LIST || code === CLOSES_OBJECT) {
      depth--;
    }
  }
  return false;
}

/** The place of the quote that ends the string which begins at `from`. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

/** The same for a value that was parsed or made elsewhere. Goes no deeper than it has to. */
export function isTooDeep(value: unknown, maxDepth: number = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const open: { readonly of: object; readonly depth: number }[] = [{ of: value, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { of, depth } = next;
    if (depth > maxDepth) return true;
    for (const inner of Object.values(of) as unknown[]) {
      if (typeof inner === 'object' && inner !== null) open.push({ of: inner, depth: depth + 1 });
    }
  }
  return false;
}
