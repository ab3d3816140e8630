// What must never be recorded, and the one matcher that finds it: every known value in its usual encodings, and keys
// that are told by their looks. A find is replaced by `[redacted:NAME]`.
// X1. Redacting twice is redacting once: a mark is never a find.
// X2. Values shorter than SHORTEST are not looked for: they would be found in innocent words.

import { KEY_SHAPES, KEY_STARTS, OPEN_KEY, shapeName } from './key-shapes.ts';

export interface Secrets {
  add(name: string, value: string): void;
  redact(text: string): string;
  /**
   * Where a text that goes on may be cut: no secret stands across the cut, and none that is still incomplete has begun
   * before it.
   */
  safeLength(text: string): number;
}

/** `collect` names what is known from the start; it is asked when something is to be redacted for the first time. */
export function openSecrets(collect?: (add: Secrets['add']) => void): Secrets {
  const names = new Map<string, string>();
  let uncollected = collect;
  let finder: Finder | undefined;
  /** Short texts that hold nothing: names of fields, of agents and of models come again and again. */
  const clean = new Set<string>();

  const add = (name: string, value: string): void => {
    if (value.trim().length < SHORTEST) return; // X2
    for (const form of formsOf(value)) if (!names.has(form)) names.set(form, name);
    finder = undefined;
    clean.clear();
  };
  const find = (): Finder => {
    const first = uncollected;
    uncollected = undefined;
    first?.(add);
    finder ??= finderOf([...names.keys()]);
    return finder;
  };
  /** Without a find, which is the rule, this is much less work than to replace nothing. */
  const redact = (text: string): string => {
    if (text.length < SHORTEST || clean.has(text)) return text;
    const { probe, pattern } = find();
    if (probe.test(text)) return text.replace(pattern, mark);
    if (text.length <= SHORT) {
      if (clean.size >= REMEMBERED) clean.clear();
      clean.add(text);
    }
    return text;
  };
  const mark = (found: string): string =>
    found.startsWith(MARK) ? found : `${MARK}${(names.get(found) ?? shapeName(found)).replaceAll(']', '')}]`; // X1

  return {
    add,
    redact,
    safeLength: (text) => safeLength(text, find()),
  };
}

const SHORTEST = 8;
const SHORT = 40;
const REMEMBERED = 500;
const MARK = '[redacted:';

interface Finder {
  readonly pattern: RegExp;
  /** The same, to ask whether there is any. */
  readonly probe: RegExp;
  /** By their first letter: what an incomplete find can begin with. */
  readonly beginnings: ReadonlyMap<string, readonly string[]>;
  readonly longest: number;
}

function finderOf(forms: readonly string[]): Finder {
  const longestFirst = forms.toSorted((left, right) => right.length - left.length).map(escaped);
  const source = ['\\[redacted:[^\\]\\n]{1,200}\\]', ...longestFirst, KEY_SHAPES].join('|');
  const beginnings = new Map<string, string[]>();
  for (const form of [...forms, ...KEY_STARTS]) {
    const first = form.charAt(0);
    const others = beginnings.get(first);
    if (others === undefined) beginnings.set(first, [form]);
    else others.push(form);
  }
  return {
    pattern: new RegExp(source, 'g'),
    probe: new RegExp(source),
    beginnings,
    longest: Math.max(...[...forms, ...KEY_STARTS].map(({ length }) => length)),
  };
}

const escaped = (text: string): string => text.replace(/[\\^$.|?+*()[\]{}/-]/g, '\\$&');

/** A value as it is written plainly, within JSON (once, and within a text within JSON), in an address and in base64. */
function formsOf(value: string): ReadonlySet<string> {
  const json = inJson(value);
  const url = encodeURIComponent(Buffer.from(value).toString()); // half a letter cannot stand in an address
  const forms = [value, json, inJson(json), url, url.replace(/%../g, (hex) => hex.toLowerCase())];
  forms.push(url.replaceAll('%20', '+'), ...inBase64(value));
  return new Set(forms.filter((form) => form.length >= SHORTEST));
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Alone; and in something longer, where some letters depend on what stands beside it: the letters that do not. */
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

function safeLength(text: string, finder: Finder): number {
  const open = text.search(OPEN_KEY);
  let cut = Math.min(open < 0 ? text.length : open, firstBeginning(text, finder));
  if (cut === text.length) return cut;
  for (const found of text.matchAll(finder.pattern)) {
    if (found.index < cut && found.index + found[0].length > cut) cut = found.index;
  }
  return cut;
}

/** Where the text ends with the beginning of something looked for. */
function firstBeginning(text: string, { beginnings, longest }: Finder): number {
  for (let at = Math.max(0, text.length - longest); at < text.length; at++) {
    const candidates = beginnings.get(text.charAt(at));
    if (candidates === undefined) continue;
    const left = text.length - at;
    if (candidates.some((one) => one.length > left && text.endsWith(one.slice(0, left)))) return at;
  }
  return text.length;
}
