// Keys that are recognized by their shape, wherever they come from. Each begins with letters that hardly anything else
// begins with, so that a text without keys is passed over quickly.
// SHAPES-1. Linear, whatever the text: a run of letters is measured once, however many beginnings of keys stand in it.

interface KeyFind {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

interface KeyShape {
  readonly name: string;
  /** The plain texts that it begins with. */
  readonly starts: readonly string[];
  /** The end of the key whose first letters end at `from`; undefined if it is not a key. */
  ends(scan: KeyScan, from: number): number | undefined;
}

type Letters = (code: number) => boolean;

const isDigit: Letters = (code) => code >= 48 && code <= 57;
const isUpper: Letters = (code) => code >= 65 && code <= 90;
const alnum: Letters = (code) => isDigit(code) || isUpper(code) || (code >= 97 && code <= 122);
const upperOrDigit: Letters = (code) => isDigit(code) || isUpper(code);
const DASH = 45;
const DOT = 46;
const UNDERSCORE = 95;
const withUnderscore: Letters = (code) => alnum(code) || code === UNDERSCORE;
const withDash: Letters = (code) => alnum(code) || code === DASH;
const word: Letters = (code) => alnum(code) || code === UNDERSCORE || code === DASH;
const keyLetter: Letters = (code) => word(code) || code === DOT;

const atLeast = (letters: Letters, least: number): KeyShape['ends'] => {
  return (scan, from) => {
    const { end } = scan.run(letters, from);
    return end - from >= least ? end : undefined;
  };
};

const exactly = (letters: Letters, count: number): KeyShape['ends'] => {
  return (scan, from) => (scan.run(letters, from).end - from >= count ? from + count : undefined);
};

const SHAPES: readonly KeyShape[] = [
  // OpenAI, Anthropic, OpenRouter and many that imitate them. A digit tells a key from a word like sk-learn.
  {
    name: 'sk-key',
    starts: ['sk-'],
    ends(scan, from) {
      const { end, lastDigit } = scan.run(word, from);
      return end - from >= 20 && lastDigit >= from ? end : undefined;
    },
  },
  { name: 'stripe-key', starts: ['sk_live_', 'rk_live_', 'sk_test_'], ends: atLeast(alnum, 16) },
  { name: 'google-key', starts: ['AIza'], ends: exactly(word, 35) },
  { name: 'github-token', starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], ends: atLeast(alnum, 36) },
  { name: 'github-token', starts: ['github_pat_'], ends: atLeast(withUnderscore, 22) },
  { name: 'gitlab-token', starts: ['glpat-'], ends: atLeast(word, 20) },
  {
    name: 'aws-key',
    starts: ['AKIA', 'ASIA'],
    ends(scan, from) {
      const { end } = scan.run(upperOrDigit, from);
      return end - from === 16 && !alnum(scan.text.charCodeAt(end)) ? end : undefined;
    },
  },
  {
    name: 'slack-token',
    starts: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-'],
    ends: atLeast(withDash, 10),
  },
  { name: 'npm-token', starts: ['npm_'], ends: exactly(alnum, 36) },
  { name: 'huggingface-token', starts: ['hf_'], ends: atLeast(alnum, 30) },
  {
    name: 'jwt',
    starts: ['eyJ'],
    ends(scan, from) {
      const { end } = scan.run(word, from);
      return end - from >= 8 ? scan.jwtAfter(end) : undefined;
    },
  },
  { name: 'private-key', starts: ['-----BEGIN '], ends: (scan, from) => scan.privateKeyAfter(from) },
];

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const PRIVATE = 'PRIVATE KEY-----';
/** The kind of the key stands before PRIVATE KEY. */
const LONGEST_KIND = 40;
const LONGEST_PRIVATE_KEY = 20_000;

const escaped = (text: string): string => text.replace(/[\\^$.|?+*()[\]{}]/g, '\\$&');

/** The plain texts that every key begins with. */
export const KEY_STARTS: readonly string[] = SHAPES.flatMap(({ starts }) => starts);

const shapeOf: ReadonlyMap<string, KeyShape> = new Map(
  SHAPES.flatMap((shape) => shape.starts.map((start) => [start, shape] as const)),
);

/** The source of a regular expression for them. It is linear, because it repeats nothing. */
export const KEY_START = `(?<![A-Za-z0-9])(?:${KEY_STARTS.map(escaped).join('|')})`;

/** The names in the marks of keys. */
export const KEY_NAMES: readonly string[] = SHAPES.map(({ name }) => name);

export const keysIn = (text: string): readonly KeyFind[] => new KeyScan(text).finds();

interface Run {
  readonly from: number;
  readonly end: number;
  readonly lastDigit: number;
}

/** One text, and what is known of it. `steps` counts the letters that were looked at one by one. */
export class KeyScan {
  readonly text: string;
  steps = 0;
  readonly #runs = new Map<Letters, Run>();
  #jwt: { readonly at: number; readonly end: number | undefined } | undefined;
  #privateEnd: { readonly from: number; readonly at: number } | undefined;

  constructor(text: string) {
    this.text = text;
  }

  finds(): readonly KeyFind[] {
    const found: KeyFind[] = [];
    const starts = new RegExp(KEY_START, 'g');
    for (let match = starts.exec(this.text); match !== null; match = starts.exec(this.text)) {
      const shape = shapeOf.get(match[0]) as KeyShape;
      const end = shape.ends(this, starts.lastIndex);
      if (end === undefined) continue;
      found.push({ start: match.index, end, name: shape.name });
      starts.lastIndex = end;
    }
    return found;
  }

  /** The letters from `from` on. The last run of each kind is known, so that nothing is measured twice (SHAPES-1). */
  run(letters: Letters, from: number): Run {
    const known = this.#runs.get(letters);
    if (known !== undefined && known.from <= from && from <= known.end) return known;
    const measured = this.#measure(letters, from);
    this.#runs.set(letters, measured);
    return measured;
  }

  #measure(letters: Letters, from: number): Run {
    const { text } = this;
    let end = from;
    let lastDigit = -1;
    for (let code = text.charCodeAt(end); letters(code); code = text.charCodeAt(++end)) {
      if (isDigit(code)) lastDigit = end;
      this.steps++;
    }
    return { from, end, lastDigit };
  }

  /** The second and third part of a token, whose first ends at `at`: the same for every beginning within the first. */
  jwtAfter(at: number): number | undefined {
    if (this.#jwt?.at !== at) this.#jwt = { at, end: this.#jwtEnd(at) };
    return this.#jwt.end;
  }

  #jwtEnd(at: number): number | undefined {
    if (!this.text.startsWith('.eyJ', at)) return undefined;
    const second = this.#measure(word, at + 4);
    if (second.end - second.from < 8 || this.text.charCodeAt(second.end) !== DOT) return undefined;
    const third = this.#measure(word, second.end + 1);
    return third.end - third.from >= 8 ? third.end : undefined;
  }

  privateKeyAfter(from: number): number | undefined {
    const body = this.#afterPrivate(from);
    if (body === undefined) return undefined;
    const known = this.#privateEnd;
    const at = known !== undefined && known.from <= body && body <= known.at ? known.at : this.#nextEnd(body);
    this.#privateEnd = { from: body, at };
    if (at === Infinity || at - body > LONGEST_PRIVATE_KEY) return undefined;
    return this.#afterPrivate(at + END.length);
  }

  #nextEnd(from: number): number {
    const at = this.text.indexOf(END, from);
    this.steps += (at < 0 ? this.text.length : at) - from;
    return at < 0 ? Infinity : at;
  }

  /** The position after `RSA PRIVATE KEY-----` and the like. */
  #afterPrivate(from: number): number | undefined {
    const label = this.text.slice(from, from + LONGEST_KIND + PRIVATE.length);
    const at = label.indexOf(PRIVATE);
    return at >= 0 && /^[A-Z ]*$/.test(label.slice(0, at)) ? from + at + PRIVATE.length : undefined;
  }
}

/** The offset of a key that may go on after the end of the text; the length of the text if there is none. */
export function openKey(text: string): number {
  let tail = text.length;
  while (tail > 0 && keyLetter(text.charCodeAt(tail - 1))) tail--;
  const starts = new RegExp(KEY_START, 'g');
  starts.lastIndex = tail;
  const run = starts.exec(text)?.index ?? text.length;
  const begun = text.lastIndexOf(BEGIN);
  if (begun < 0 || text.length - begun > LONGEST_PRIVATE_KEY + 200) return run;
  return keysIn(text.slice(begun)).some(({ name }) => name === 'private-key') ? run : Math.min(run, begun);
}
