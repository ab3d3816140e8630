// The syntax of regular expressions, as far as it decides the ways through a pattern. What one letter matches
// stays as it is written.

export type PatternNode =
  /** One letter: a plain one, an escape, a class or `.`, as the source of a regular expression. */
  | { readonly kind: 'letter'; readonly source: string }
  | { readonly kind: 'edge'; readonly edge: 'start' | 'end' | 'border' | 'no-border' }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most: number }
  | { readonly kind: 'look'; readonly part: PatternNode; readonly back: boolean; readonly negative: boolean };

/** Throws a `SyntaxError` for what is not a pattern, and an `Error` for what cannot be matched in one pass. */
export function parsePattern(source: string, byPoint: boolean): PatternNode {
  void new RegExp(source, byPoint ? 'u' : ''); // only parsed, not run: from here on the pattern is known to be valid
  return new PatternReader(source, byPoint).read();
}

const QUANTIFIER = /\*|\+|\?|\{(\d+)(,?)(\d*)\}/y;
/** One escape that stands for one letter, in patterns that go by code points and in those that do not. */
const ESCAPE_BY_POINT =
  /\\(?:u\{[0-9a-f]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])/y;
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|0[0-7]{0,2}|[^])/y;
const CLASS = /\[(?:[^\]\\]|\\[^])*\]/y;
const OPENING = /\((?:\?(?::|<?[=!]|<[^>=!][^>]*>))?/y;

class PatternReader {
  readonly #source: string;
  readonly #byPoint: boolean;
  #at = 0;

  constructor(source: string, byPoint: boolean) {
    this.#source = source;
    this.#byPoint = byPoint;
  }

  read(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw this.#unknown();
    return node;
  }

  #choice(): PatternNode {
    const parts: PatternNode[] = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    return parts.length === 1 ? (parts[0] as PatternNode) : { kind: 'any', parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) parts.push(this.#term());
    return parts.length === 1 ? (parts[0] as PatternNode) : { kind: 'all', parts };
  }

  #term(): PatternNode {
    if (this.#take('^')) return { kind: 'edge', edge: 'start' };
    if (this.#take('$')) return { kind: 'edge', edge: 'end' };
    if (this.#take('\\b')) return { kind: 'edge', edge: 'border' };
    if (this.#take('\\B')) return { kind: 'edge', edge: 'no-border' };
    return this.#repeated(this.#atom());
  }

  #repeated(part: PatternNode): PatternNode {
    const found = this.#match(QUANTIFIER);
    if (found === undefined) return part;
    this.#take('?'); // as few as possible: the same texts match
    const [whole, least = '', comma, most = ''] = found;
    if (whole === '*') return { kind: 'repeat', part, least: 0, most: Infinity };
    if (whole === '+') return { kind: 'repeat', part, least: 1, most: Infinity };
    if (whole === '?') return { kind: 'repeat', part, least: 0, most: 1 };
    const upTo = comma === '' ? Number(least) : most === '' ? Infinity : Number(most);
    return { kind: 'repeat', part, least: Number(least), most: upTo };
  }

  #atom(): PatternNode {
    const opening = this.#match(OPENING)?.[0];
    if (opening !== undefined) return this.#group(opening);
    if (/\\(?:[1-9]|k<)/y.test(this.#source.slice(this.#at, this.#at + 3))) {
      throw new Error(
        `the pattern "${this.#source}" refers back to what it matched, which cannot be matched in one pass`,
      );
    }
    const escape = this.#match(this.#byPoint ? ESCAPE_BY_POINT : ESCAPE)?.[0];
    const source = escape ?? this.#match(CLASS)?.[0];
    if (source !== undefined) return { kind: 'letter', source };
    const code = this.#source.codePointAt(this.#at);
    if (code === undefined) throw this.#unknown();
    const letter = this.#byPoint ? String.fromCodePoint(code) : this.#source.charAt(this.#at);
    this.#at += letter.length;
    return { kind: 'letter', source: letter === '.' ? '.' : letter.replace(/[\\^$.|?+*()[\]{}/]/, '\\$&') };
  }

  #group(opening: string): PatternNode {
    const part = this.#choice();
    if (!this.#take(')')) throw this.#unknown();
    const look = /^\(\?(<?)([=!])$/.exec(opening);
    if (look === null) return part;
    return { kind: 'look', part, back: look[1] === '<', negative: look[2] === '!' };
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }

  #unknown(): Error {
    return new Error(`the pattern "${this.#source}" has unknown syntax at ${this.#at}`);
  }
}
