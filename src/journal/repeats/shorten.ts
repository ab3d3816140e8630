// Finds what an event repeats. Whole texts are found by themselves; parts of them by the beginnings of their lines, and
// parts of lists by their elements. A part of a text is whole lines, so that no name in it is cut in two.

import type { RunEvent } from '../event.ts';
import { type Piece, pointerOf, REACH, type Step } from './repeat.ts';

/** A shorter text costs less than its reference. */
const SHORTEST = 96;
/** A smaller list is written out: most hold little, and nothing but what is new. */
const SMALLEST_LIST = 256;
/** The number of characters by which the beginning of a line is found. */
const WINDOW = 32;
/** The number of beginnings, of lines or elements, by which a text or list is found. */
const MOST_MARKS = 128;
/** So many characters are remembered. */
const MOST_REMEMBERED = 1 << 22;
/** The size of a list's element that is no text. A part of a list counts so much at least. */
const ELEMENT = 64;

interface Text {
  readonly kind: 'text';
  readonly seq: number;
  readonly at: string;
  readonly value: string;
}

interface List {
  readonly kind: 'list';
  readonly seq: number;
  readonly at: string;
  readonly value: readonly unknown[];
}

interface SourceMark<Source extends Text | List> {
  readonly source: Source;
  readonly index: number;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** A part that stands in an earlier event. */
interface Match<Source extends Text | List> extends Span {
  readonly source: Source;
  /** The place in it at which the part begins. */
  readonly index: number;
}

/** Shortens the events that one process writes to a journal. */
export class EventShortener {
  readonly #texts = new Map<string, Text>();
  readonly #lines = new Map<string, SourceMark<Text>>();
  readonly #elements = new Map<unknown, SourceMark<List>>();
  /** Oldest first, each with the keys by which it is found. */
  readonly #remembered = new Map<Text | List, readonly unknown[]>();
  #size = 0;
  #seq = 0;
  readonly #steps: Step[] = [];
  #repeats: Record<string, readonly Piece[]> | undefined;
  /** The texts and lists that this event brought. They are remembered after it, because an event never refers to itself. */
  #brought: { readonly source: Text | List; readonly spans: readonly Span[] }[] = [];

  /** The event as it is stored. */
  shorten(event: RunEvent): RunEvent {
    this.#seq = event.seq;
    this.#repeats = undefined;
    this.#forgetOld();
    if ('path' in event && event.path.length >= SHORTEST)
      this.#bring({ kind: 'text', seq: event.seq, at: '/path', value: event.path }, []);
    const short = this.#fields(event as unknown as Readonly<Record<string, unknown>>) as unknown as RunEvent;
    if (this.#brought.length > 0) this.#remember();
    return this.#repeats === undefined ? event : { ...short, repeats: this.#repeats };
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return value.length < SHORTEST ? value : this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.#list(value) : this.#fields(value as Readonly<Record<string, unknown>>);
  }

  #fields(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    let copy: Record<string, unknown> | undefined;
    for (const name in value) {
      const field = value[name];
      if (typeof field === 'string' ? field.length < SHORTEST : typeof field !== 'object') continue;
      if (isWhole(name, this.#steps)) continue;
      const short = this.#inside(name, field);
      if (short !== field) (copy ??= { ...value })[name] = short;
    }
    return copy ?? value;
  }

  #inside(step: Step, value: unknown): unknown {
    this.#steps.push(step);
    const short = this.#value(value);
    this.#steps.pop();
    return short;
  }

  #text(value: string): string {
    const whole = this.#texts.get(value);
    const matches =
      whole === undefined ? this.#partsOfText(value) : [{ source: whole, index: 0, from: 0, to: value.length }];
    const at = pointerOf(this.#steps);
    if (whole === undefined) this.#bring({ kind: 'text', seq: this.#seq, at, value }, rest(matches, value.length));
    return this.#isMade(at, value, matches) ? '' : value;
  }

  #list(value: readonly unknown[]): readonly unknown[] {
    const isLong = sizeOfList(value) >= SMALLEST_LIST;
    const matches = isLong ? this.#partsOfList(value) : [];
    const at = isLong ? pointerOf(this.#steps) : '';
    const spans = isLong ? rest(matches, value.length) : [];
    if (spans.length > 0) this.#bring({ kind: 'list', seq: this.#seq, at, value }, spans);
    if (this.#isMade(at, value, matches)) return [];
    let copy: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const short = this.#inside(index, value[index]);
      if (short !== value[index]) (copy ??= [...value])[index] = short;
    }
    return copy ?? value;
  }

  /** Notes of what a field is made, if any of it stands in an earlier event. */
  #isMade(at: string, value: string | readonly unknown[], matches: readonly Match<Text | List>[]): boolean {
    if (matches.length === 0) return false;
    const pieces: Piece[] = [];
    let done = 0;
    for (const { source, index, from, to } of matches) {
      if (from > done) pieces.push(value.slice(done, from));
      pieces.push({ event: source.seq, at: source.at, from: index, to: index + to - from });
      done = to;
    }
    if (done < value.length) pieces.push(value.slice(done));
    this.#repeats = { ...this.#repeats, [at]: pieces };
    return true;
  }

  #partsOfText(text: string): readonly Match<Text>[] {
    if (this.#lines.size === 0) return [];
    const matches: Match<Text>[] = [];
    let done = 0;
    for (let start = 0; text.length - start >= WINDOW; ) {
      const mark = this.#lines.get(text.slice(start, start + WINDOW));
      const match = mark && lineMatch(text, start, done, mark);
      if (match !== undefined) matches.push(match);
      done = match?.to ?? done;
      start = match?.to ?? (text.indexOf('\n', start) + 1 || text.length);
    }
    return matches;
  }

  #partsOfList(list: readonly unknown[]): readonly Match<List>[] {
    const matches: Match<List>[] = [];
    let done = 0;
    for (let start = 0; start < list.length; ) {
      const mark = this.#elements.get(list[start]);
      const match = mark && elementMatch(list, start, done, mark);
      if (match !== undefined) matches.push(match);
      done = match?.to ?? done;
      start = match?.to ?? start + 1;
    }
    return matches;
  }

  #bring(source: Text | List, spans: readonly Span[]): void {
    this.#brought.push({ source, spans });
  }

  #remember(): void {
    for (const { source, spans } of this.#brought) {
      const keys = source.kind === 'text' ? this.#markText(source, spans) : this.#markList(source, spans);
      this.#remembered.set(source, keys);
      this.#size += sizeOf(source);
    }
    this.#brought = [];
  }

  #forgetOld(): void {
    for (const [source, keys] of this.#remembered) {
      if (this.#size <= MOST_REMEMBERED && source.seq > this.#seq - REACH) return; // REPEAT-2
      this.#forget(source, keys);
    }
  }

  #markText(source: Text, spans: readonly Span[]): readonly string[] {
    const { value } = source;
    const keys: string[] = [];
    const apart = Math.max(WINDOW, value.length / MOST_MARKS);
    let next = 0;
    for (const { from, to } of spans) {
      for (let start = from; start < to && value.length - start >= WINDOW; ) {
        if (start >= next) {
          const key = value.slice(start, start + WINDOW);
          this.#lines.set(key, { source, index: start });
          keys.push(key);
          next = start + apart;
        }
        start = value.indexOf('\n', start) + 1 || to;
      }
    }
    this.#texts.set(value, source);
    return keys;
  }

  #markList(source: List, spans: readonly Span[]): readonly unknown[] {
    const keys: unknown[] = [];
    const apart = Math.ceil(source.value.length / MOST_MARKS);
    for (const { from, to } of spans) {
      for (let index = from; index < to; index += apart) {
        const key = source.value[index];
        if (typeof key !== 'string' && typeof key !== 'object') continue;
        this.#elements.set(key, { source, index });
        keys.push(key);
      }
    }
    return keys;
  }

  #forget(source: Text | List, keys: readonly unknown[]): void {
    this.#remembered.delete(source);
    this.#size -= sizeOf(source);
    const marks: Map<unknown, SourceMark<Text | List>> = source.kind === 'text' ? this.#lines : this.#elements;
    for (const key of keys) if (marks.get(key)?.source === source) marks.delete(key);
    if (source.kind === 'text' && this.#texts.get(source.value) === source) this.#texts.delete(source.value);
  }
}

/** True if an event holds a text or list that may be repeated. Most events do not, and cost no more than this question. */
export function isBulky(event: RunEvent): boolean {
  if (event.type === 'op-start') return event.path.length >= SHORTEST || holdsMuch(event.op);
  if (event.type === 'op-end')
    return event.path.length >= SHORTEST || (event.result.ok && holdsMuch(event.result.value));
  if (event.type === 'op') return holdsMuch(event.value) || holdsMuch(event.detail);
  return event.type === 'fact' && holdsMuch(event.value);
}

function holdsMuch(value: unknown): boolean {
  if (typeof value === 'string') return value.length >= SHORTEST;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    if (value.length === 0) return false;
    if (sizeOfList(value) >= SMALLEST_LIST) return true;
    for (const element of value) if (holdsMuch(element)) return true;
    return false;
  }
  for (const name in value) {
    const field = (value as Readonly<Record<string, unknown>>)[name];
    if (typeof field === 'string' ? field.length >= SHORTEST : typeof field === 'object' && holdsMuch(field))
      return true;
  }
  return false;
}

const sizeOf = ({ value }: Text | List): number => (typeof value === 'string' ? value.length : sizeOfList(value));

function sizeOfList(list: readonly unknown[]): number {
  let size = 0;
  for (const element of list) size += typeof element === 'string' ? element.length : ELEMENT;
  return size;
}

/** A store looks at the path of an op and at its agent while it writes. `__proto__` is no field that can be set. */
const isWhole = (name: string, steps: readonly Step[]): boolean =>
  name === 'agent' || name === '__proto__' || (name === 'path' && steps.length === 0);

/** The spans that no match covers. */
function rest(matches: readonly Span[], length: number): readonly Span[] {
  const spans: Span[] = [];
  let done = 0;
  for (const { from, to } of matches) {
    if (from > done) spans.push({ from: done, to: from });
    done = to;
  }
  if (done < length) spans.push({ from: done, to: length });
  return spans;
}

/** The longest part of whole lines around the beginning of a line; nothing before `done` is part of it. */
function lineMatch(
  text: string,
  start: number,
  done: number,
  { source, index }: SourceMark<Text>,
): Match<Text> | undefined {
  const { value } = source;
  const by = index - start;
  let from = start;
  while (from > done && text.charCodeAt(from - 1) === value.charCodeAt(from - 1 + by)) from--;
  if (from > done && text[from - 1] !== '\n') from = text.indexOf('\n', from) + 1;
  let to = start;
  while (to < text.length && text.charCodeAt(to) === value.charCodeAt(to + by)) to++;
  if (to < text.length) to = text.lastIndexOf('\n', to - 1) + 1;
  return to - from < SHORTEST ? undefined : { source, index: from + by, from, to };
}

function elementMatch(
  list: readonly unknown[],
  start: number,
  done: number,
  { source, index }: SourceMark<List>,
): Match<List> | undefined {
  const { value } = source;
  const by = index - start;
  let from = start;
  while (from > done && from + by > 0 && list[from - 1] === value[from - 1 + by]) from--;
  let to = start;
  while (to < list.length && to + by < value.length && list[to] === value[to + by]) to++;
  return sizeOfList(list.slice(from, to)) < ELEMENT ? undefined : { source, index: from + by, from, to };
}
