// A text with its escapes undone, and the map back to positions in the original text. JSON may write `/` as `\/` and
// `=` as `\u003d`, a URL writes `%3D`, a form writes `+` for a blank. A search in the decoded text finds a value however
// it was written.
// ESCAPE-1. Linear: each escape is read once, and a text is decoded at most DECODINGS.length times.

export interface DecodedText {
  readonly text: string;
  /** True if a URL or a form was decoded on the way. Then `+` and a blank are the same. */
  readonly blankPlus: boolean;
  /** Maps a position in this text to its position in the original text. */
  sourceOf(at: number): number;
}

/** Each is decoded from the ones before it. JSON within JSON, a form within JSON and JSON within a form are common. */
const DECODINGS: readonly (readonly ('json' | 'url')[])[] = [
  ['json'],
  ['json', 'json'],
  ['url'],
  ['json', 'url'],
  ['url', 'json'],
];

/** The characters that every escape begins with. `blanks`: a lone `+` may be a blank. */
export const escapeStart = (blanks: boolean): RegExp => (blanks ? /[\\%+]/ : /[\\%]/);

/** The text as it stands first, then every decoding that changes something. `blanks`: a lone `+` may be a blank. */
export function viewsOf(text: string, blanks: boolean): readonly DecodedText[] {
  const raw: DecodedText = { text, blankPlus: false, sourceOf: (at) => at };
  if (!escapeStart(blanks).test(text)) return [raw];
  const made = new Map<string, DecodedText>([['', raw]]);
  for (const steps of DECODINGS) {
    const from = made.get(steps.slice(0, -1).join());
    const view = from && (steps.at(-1) === 'json' ? withoutJson(from) : withoutUrl(from, blanks));
    if (view !== undefined) made.set(steps.join(), view);
  }
  return [...made.values()];
}

/** The offset of an incomplete escape at the end of a text; the length of the text if there is none. */
export function openEscape(text: string): number {
  const tail = Math.max(0, text.length - 12);
  const open = text
    .slice(tail)
    .search(/(?:\\+(?:u[0-9a-f]{0,3})?|(?:%[89a-f][0-9a-f])*%[0-9a-f]?|(?:%[89a-f][0-9a-f])+)$/i);
  return open < 0 ? text.length : tail + open;
}

/** Collects a decoded text, with pairs of positions that belong together. */
class EscapeDecoder {
  readonly #source: string;
  readonly #parts: string[] = [];
  readonly #here: number[] = [];
  readonly #there: number[] = [];
  #length = 0;
  #read = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** `written` stands in the source from `at` on, over so many characters. */
  put(written: string, at: number, size: number): void {
    this.#parts.push(this.#source.slice(this.#read, at), written);
    this.#length += at - this.#read;
    this.#pair(this.#length, at);
    this.#length += written.length;
    this.#read = at + size;
    this.#pair(this.#length, this.#read);
  }

  view(from: DecodedText, blankPlus: boolean): DecodedText | undefined {
    if (this.#parts.length === 0) return undefined;
    this.#parts.push(this.#source.slice(this.#read));
    return { text: this.#parts.join(''), blankPlus, sourceOf: (at) => from.sourceOf(this.#back(at)) };
  }

  #pair(here: number, there: number): void {
    this.#here.push(here);
    this.#there.push(there);
  }

  #back(at: number): number {
    let low = 0;
    let high = this.#here.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#here[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? at : (this.#there[low - 1] ?? 0) + at - (this.#here[low - 1] ?? 0);
  }
}

const LETTERS: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function withoutJson(from: DecodedText): DecodedText | undefined {
  const { text } = from;
  const decoded = new EscapeDecoder(text);
  for (let at = text.indexOf('\\'); at >= 0; ) {
    const unit = text.charAt(at + 1) === 'u' ? hexAt(text, at + 2, 4) : undefined;
    const letter = unit === undefined ? LETTERS[text.charAt(at + 1)] : String.fromCharCode(unit);
    const size = letter === undefined ? 1 : unit === undefined ? 2 : 6;
    if (letter !== undefined) decoded.put(letter, at, size);
    at = text.indexOf('\\', at + size);
  }
  return decoded.view(from, from.blankPlus);
}

function withoutUrl(from: DecodedText, blanks: boolean): DecodedText | undefined {
  const { text } = from;
  const decoded = new EscapeDecoder(text);
  for (let at = text.indexOf('%'); at >= 0; ) {
    const [written, size] = percentAt(text, at);
    if (written !== undefined) decoded.put(written, at, size);
    at = text.indexOf('%', at + size);
  }
  const view = decoded.view(from, true) ?? (blanks && text.includes('+') ? { ...from, blankPlus: true } : undefined);
  return view && { ...view, text: view.text.replaceAll('+', ' ') };
}

/** One character, of as many bytes as its first byte says. */
function percentAt(text: string, at: number): readonly [string | undefined, number] {
  const first = hexAt(text, at + 1, 2);
  if (first === undefined) return [undefined, 1];
  if (first < 0x80) return [String.fromCharCode(first), 3];
  const count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  try {
    return [decodeURIComponent(text.slice(at, at + 3 * count)), 3 * count];
  } catch {
    return [undefined, 3]; // these bytes are not UTF-8
  }
}

function hexAt(text: string, at: number, digits: number): number | undefined {
  const hex = text.slice(at, at + digits);
  return hex.length === digits && /^[0-9a-f]+$/i.test(hex) ? Number.parseInt(hex, 16) : undefined;
}
