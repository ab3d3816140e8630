// The secrets that must never be recorded, and the one matcher that finds them: every known value, however it is
// escaped, in base64 too, and keys that are recognized by their shape. A find is replaced by `[redacted:NAME]`.
// SECRET-1. Redacting twice gives the same as redacting once: a mark with a known name is never a find. A mark with any
//           other name is treated as plain text, so that nothing hides in it.
// SECRET-2. Values shorter than SHORTEST are found only where they stand alone, and values shorter than TOO_SHORT not
//           at all: they would be found in innocent words.
// SECRET-3. Linear in the text: values are found by a pattern that repeats nothing, keys by a scanner (SHAPES-1), escapes are
//           undone once (ESCAPE-1).

import type { RedactedStream, RedactedText, Redactor } from '../kernel/redacted.ts';
import { type DecodedText, escapeStart, openEscape, viewsOf } from './escapes.ts';
import { KEY_NAMES, KEY_START, KEY_STARTS, keysIn, openKey } from './key-shapes.ts';

export interface Secrets extends Redactor {
  add(name: string, value: string): void;
}

/** `collect` adds the values that are known from the start. It is called before the first redaction. */
export function openSecrets(collect?: (add: Secrets['add']) => void): Secrets {
  const values = new Map<string, string>();
  const names = new Set<string>(KEY_NAMES);
  let uncollected = collect;
  let finder: SecretFinder | undefined;
  /** Short texts that hold no secret: names of fields, agents and models come again and again. */
  const clean = new Set<string>();

  const add = (name: string, value: string): void => {
    const forms = formsOf(value.trim());
    if (forms.length === 0) return;
    const marked = name.replaceAll(/[\]\n]/g, '').slice(0, LONGEST_NAME);
    names.add(marked);
    for (const form of forms) if (!values.has(form)) values.set(form, marked);
    finder = undefined;
    clean.clear();
  };
  const find = (): SecretFinder => {
    const first = uncollected;
    uncollected = undefined;
    first?.(add);
    finder ??= new SecretFinder(values, names);
    return finder;
  };
  /** Usually there is no find, and then this is much less work than a replacement. */
  const redact = (text: string): RedactedText => {
    if (text.length < TOO_SHORT || clean.has(text)) return text as RedactedText;
    const found = find().finds(text);
    if (found.length > 0) return marked(text, found);
    if (text.length <= SHORT) {
      if (clean.size >= REMEMBERED) clean.clear();
      clean.add(text);
    }
    return text as RedactedText;
  };
  return { add, redact, stream: () => new RedactingStream(redact, find) };
}

const SHORTEST = 8;
const TOO_SHORT = 4;
const SHORT = 40;
const REMEMBERED = 500;
const MARK = '[redacted:';
const LONGEST_NAME = 200;

interface Find {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

function marked(text: string, finds: readonly Find[]): RedactedText {
  let made = '';
  let from = 0;
  for (const { start, end, name } of finds) {
    made += `${text.slice(from, start)}${MARK}${name}]`;
    from = end;
  }
  return (made + text.slice(from)) as RedactedText;
}

/** One set of values to look for. */
class SecretFinder {
  readonly #values: ReadonlyMap<string, string>;
  /** The same with `+` as a blank, for text from a URL or a form. */
  readonly #formValues: ReadonlyMap<string, string>;
  readonly #names: ReadonlySet<string>;
  readonly #plain: Patterns;
  readonly #form: Patterns;
  readonly #anyBlank: boolean;
  /** Matches every text that may hold a secret. Most texts need only this one test. */
  readonly #suspect: RegExp;
  /** The beginnings of an incomplete find, by their first letter. */
  readonly #beginnings: ReadonlyMap<string, readonly string[]>;
  readonly #longest: number;

  constructor(values: ReadonlyMap<string, string>, names: ReadonlySet<string>) {
    this.#values = values;
    this.#formValues = new Map([...values].map(([value, name]) => [blankPlus(value), name]));
    this.#names = names;
    this.#plain = patternsFor([...values.keys()]);
    this.#form = patternsFor([...this.#formValues.keys()]);
    this.#anyBlank = [...values.keys()].some((value) => value.includes(' '));
    this.#suspect = new RegExp(`${escapeStart(this.#anyBlank).source}|${this.#plain.probe.source}`);
    const all = [...values.keys(), ...this.#formValues.keys(), ...KEY_STARTS];
    this.#beginnings = byFirstLetter(all);
    this.#longest = Math.max(...all.map(({ length }) => length));
  }

  /** Finds in order, without overlaps. */
  finds(text: string): readonly Find[] {
    if (!this.#suspect.test(text)) return NOTHING;
    const found = viewsOf(text, this.#anyBlank).flatMap((view) => this.#findsIn(view));
    return found.length === 0 ? NOTHING : apart(found, this.#marksIn(text));
  }

  #findsIn(view: DecodedText): readonly Find[] {
    const { text } = view;
    const { probe, pattern } = view.blankPlus ? this.#form : this.#plain;
    if (!probe.test(text)) return NOTHING;
    const values = view.blankPlus ? this.#formValues : this.#values;
    const known = Array.from(text.matchAll(pattern), ({ 0: value, index }) => ({
      start: index,
      end: index + value.length,
      name: values.get(value) as string,
    }));
    return [...known, ...keysIn(text)].map(({ start, end, name }) => ({
      start: view.sourceOf(start),
      end: view.sourceOf(end),
      name,
    }));
  }

  /** SECRET-1. */
  #marksIn(text: string): readonly Find[] {
    const marks: Find[] = [];
    for (let start = text.indexOf(MARK); start >= 0; start = text.indexOf(MARK, start + MARK.length)) {
      const from = start + MARK.length;
      const end = text.slice(from, from + LONGEST_NAME + 1).indexOf(']');
      const name = text.slice(from, from + Math.max(0, end));
      if (this.#names.has(name)) marks.push({ start, end: from + end + 1, name });
    }
    return marks;
  }

  /**
   * The length at which an unfinished text may be cut: no secret stands across the cut, and no incomplete one begins
   * before it. If the text is too long to be the beginning of a key, only known values count as incomplete.
   */
  safeLength(text: string, isTooLong: boolean): number {
    let cut = Math.min(this.#firstBeginning(text), openEscape(text), isTooLong ? text.length : openKey(text));
    if (cut === text.length) return cut;
    for (const { start, end } of this.finds(text)) if (start < cut && end > cut) cut = start;
    return cut;
  }

  /** The position at which the end of the text may be the beginning of a value. */
  #firstBeginning(text: string): number {
    // Escapes make text at most six times longer, so an incomplete value cannot begin before that.
    const tail = Math.max(0, text.length - 6 * this.#longest);
    const ending = text.slice(tail, openEscape(text));
    let first = text.length;
    for (const view of viewsOf(ending, this.#anyBlank)) {
      const at = this.#beginningIn(view.text.slice(0, openEscape(view.text)));
      if (at !== undefined) first = Math.min(first, tail + view.sourceOf(at));
    }
    return first;
  }

  #beginningIn(text: string): number | undefined {
    for (let at = Math.max(0, text.length - this.#longest); at < text.length; at++) {
      const candidates = this.#beginnings.get(text.charAt(at));
      if (candidates === undefined) continue;
      const left = text.length - at;
      if (candidates.some((one) => one.length > left && text.endsWith(one.slice(0, left)))) return at;
    }
    return undefined;
  }
}

const NOTHING: readonly Find[] = [];

interface Patterns {
  readonly pattern: RegExp;
  /** Matches if there is anything at all to look at. */
  readonly probe: RegExp;
}

/** SECRET-3. The alternatives are plain letters, the longest first. */
function patternsFor(values: readonly string[]): Patterns {
  const source = values
    .toSorted((left, right) => right.length - left.length)
    .map((value) => (value.length < SHORTEST ? `(?<![A-Za-z0-9])${escaped(value)}(?![A-Za-z0-9])` : escaped(value)))
    .join('|');
  return {
    pattern: new RegExp(source === '' ? '(?!)' : source, 'g'),
    probe: new RegExp(source === '' ? KEY_START : `${source}|${KEY_START}`),
  };
}

const escaped = (text: string): string => text.replace(/[\\^$.|?+*()[\]{}/-]/g, '\\$&');
const blankPlus = (text: string): string => text.replaceAll('+', ' ');

function byFirstLetter(all: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const beginnings = new Map<string, string[]>();
  for (const one of all) {
    const others = beginnings.get(one.charAt(0));
    if (others === undefined) beginnings.set(one.charAt(0), [one]);
    else others.push(one);
  }
  return beginnings;
}

/** Finds that meet become one, under the name of the first and longest. What lies within a mark is not a find. */
function apart(found: readonly Find[], marks: readonly Find[]): readonly Find[] {
  const made: Find[] = [];
  let mark = 0;
  for (const find of found.toSorted((left, right) => left.start - right.start || right.end - left.end)) {
    while ((marks[mark]?.end ?? Infinity) <= find.start) mark++;
    const around = marks[mark];
    if (around !== undefined && around.start <= find.start && find.end <= around.end) continue;
    const last = made.at(-1);
    if (last === undefined || last.end <= find.start) made.push(find);
    else if (find.end > last.end) made[made.length - 1] = { ...last, end: find.end };
  }
  return made;
}

/** A value as it is, and in base64. Escapes need no form here, because they are undone in the text. */
function formsOf(value: string): readonly string[] {
  if (value.length < TOO_SHORT) return [];
  return [...new Set([value, ...inBase64(value).filter((form) => form.length >= SHORTEST)])];
}

/** The value alone in base64, and within a longer text: then only the letters that do not depend on its neighbours. */
function inBase64(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const within = [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((whole.length * 8) / 6);
    return [whole.toString('base64'), whole.toString('base64url')].map((text) => text.slice(from, to));
  });
  return [bytes.toString('base64'), bytes.toString('base64url'), ...within];
}

/** Held-back text of this length is not the beginning of a key, because it is longer than any key. */
const LONGEST_HELD = 32_768;
/**
 * A text that is held back is looked at again when it has grown by this share, so that all looks together stay linear.
 */
const GROWTH = 1.125;
const ALWAYS_LOOKED_AT = 200;

class RedactingStream implements RedactedStream {
  readonly #redact: (text: string) => RedactedText;
  readonly #find: () => SecretFinder;
  #held = '';
  #lookAt = 0;

  constructor(redact: (text: string) => RedactedText, find: () => SecretFinder) {
    this.#redact = redact;
    this.#find = find;
  }

  push(text: string): RedactedText {
    this.#held += text;
    if (this.#held.length < this.#lookAt) return '' as RedactedText;
    const cut = this.#find().safeLength(this.#held, this.#held.length > LONGEST_HELD);
    const ready = this.#redact(this.#held.slice(0, cut));
    this.#held = this.#held.slice(cut);
    this.#lookAt = this.#held.length < ALWAYS_LOOKED_AT ? 0 : this.#held.length * GROWTH;
    return ready;
  }

  end(): RedactedText {
    const ready = this.#redact(this.#held);
    this.#held = '';
    this.#lookAt = 0;
    return ready;
  }
}
