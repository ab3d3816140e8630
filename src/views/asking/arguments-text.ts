// The arguments of a call for the person who is asked about it, on every surface. Pure: the page uses it, too.
// ARGUMENTS-1. Every key is shown, and no key is cut. Long values are cut one by one, each with its size, so that none
//              can push another one out of sight.
// ARGUMENTS-2. If there are too many entries, the outer and the smaller parts are shown first, and the rest is counted.
// ARGUMENTS-3. Invisible characters are written as escapes: nothing here hides, turns text around or moves the cursor.

import { escapeUnseen } from '../../base/text/escape-unseen.ts';

/** The number of entries that are shown in all, of keys in one object, and of items in one list. */
const MOST = 2000;
const MOST_KEYS = 1000;
const MOST_ITEMS = 100;
/** More levels than arguments may have. Writing them takes stack, and the main thread has little. */
const MOST_LEVELS = 200;
/** Characters for all values together, and for each of them at least. */
const ROOM = 4000;
const LEAST = 200;
/** The share of a cut value's characters that its beginning gets. */
const HEAD = 3 / 4;
/** Levels that are indented: further ones would leave no room for what they hold. */
const INDENTED = 20;

type ArgumentEntry = readonly [key: string | undefined, value: unknown];

/** The part of an object or a list that is shown. */
interface ShownPart {
  readonly head: readonly ArgumentEntry[];
  readonly tail: readonly ArgumentEntry[];
  readonly left: number;
}

export function argumentsText(given: unknown): string {
  const page = pageFor(given);
  write([undefined, given === undefined ? {} : given], 0, '', page);
  return page.lines.join('\n');
}

/** The same for a table: a row for each key of the arguments. */
export function argumentRows(given: unknown): readonly { readonly key?: string; readonly text: string }[] {
  const page = pageFor(given);
  const part = isPart(given) && !Array.isArray(given) ? page.parts.get(given) : undefined;
  if (part === undefined) return given === undefined ? [] : [{ text: argumentsText(given) }];
  const row = ([key = '', value]: ArgumentEntry) => {
    const lines: string[] = [];
    write([undefined, value], 0, '', { ...page, lines });
    return { key: escapeUnseen(key), text: lines.join('\n') };
  };
  const left = part.left === 0 ? [] : [{ text: `… ${counted(part.left, 'key')} not shown here …` }];
  return [...part.head.map(row), ...left, ...part.tail.map(row)];
}

function pageFor(given: unknown) {
  const parts = chosen(given);
  const values = [...parts.values()].flatMap(({ head, tail }) => [...head, ...tail]).filter(([, one]) => !isPart(one));
  return { parts, room: Math.max(LEAST, Math.floor(ROOM / Math.max(1, values.length))), lines: [] };
}

/** Level by level, and within a level the smaller ones first (ARGUMENTS-2). */
function chosen(given: unknown): ReadonlyMap<object, ShownPart> {
  const parts = new Map<object, ShownPart>();
  let left = MOST;
  let level: readonly object[] = isPart(given) ? [given] : [];
  for (let depth = 0; depth < MOST_LEVELS && level.length > 0 && left > 0; depth++) {
    const below: object[] = [];
    for (const one of level.toSorted((a, b) => countOf(a) - countOf(b))) {
      const part = partOf(one, Math.min(left, Array.isArray(one) ? MOST_ITEMS : MOST_KEYS));
      parts.set(one, part);
      left -= part.head.length + part.tail.length;
      for (const [, value] of [...part.head, ...part.tail]) if (isPart(value)) below.push(value);
    }
    level = below;
  }
  return parts;
}

function partOf(of: object, most: number): ShownPart {
  const entries: readonly ArgumentEntry[] = Array.isArray(of)
    ? of.map((value): ArgumentEntry => [undefined, value])
    : Object.entries(of);
  if (entries.length <= most) return { head: entries, tail: [], left: 0 };
  const head = Math.ceil(most * HEAD);
  return {
    head: entries.slice(0, head),
    tail: entries.slice(entries.length - (most - head)),
    left: entries.length - most,
  };
}

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null;
const countOf = (part: object): number => (Array.isArray(part) ? part.length : Object.keys(part).length);

/** Written as JSON, one entry a line. */
function write(
  [key, value]: ArgumentEntry,
  depth: number,
  comma: string,
  page: {
    readonly parts: ReadonlyMap<object, ShownPart>;
    /** Characters for one value. */
    readonly room: number;
    readonly lines: string[];
  },
): void {
  const { parts, room, lines } = page;
  const indent = '  '.repeat(Math.min(depth, INDENTED));
  const name = key === undefined ? '' : `${escapeUnseen(JSON.stringify(key))}: `;
  if (!isPart(value)) return void lines.push(`${indent}${name}${valueText(value, room)}${comma}`);
  const [opening, closing, noun] = Array.isArray(value) ? ['[', ']', 'item'] : ['{', '}', 'key'];
  const count = countOf(value);
  const part = parts.get(value);
  if (part === undefined || count === 0) {
    const inside = count === 0 ? '' : ` … ${counted(count, noun)} not shown … `;
    return void lines.push(`${indent}${name}${opening}${inside}${closing}${comma}`);
  }
  lines.push(`${indent}${name}${opening}`);
  const { head, tail, left } = part;
  const isLast = (index: number): boolean => left === 0 && tail.length === 0 && index === head.length - 1;
  head.forEach((entry, index) => write(entry, depth + 1, isLast(index) ? '' : ',', page));
  if (left > 0) lines.push(`${indent}  … ${counted(left, noun)} of ${count} not shown here …`);
  tail.forEach((entry, index) => write(entry, depth + 1, index === tail.length - 1 ? '' : ',', page));
  lines.push(`${indent}${closing}${comma}`);
}

function valueText(value: unknown, room: number): string {
  if (typeof value !== 'string' || value.length <= room) return escapeUnseen(JSON.stringify(value) ?? 'null');
  const head = value.slice(0, Math.ceil(room * HEAD));
  const tail = value.slice(value.length - (room - head.length));
  const cut = value.length - head.length - tail.length;
  return `${escapeUnseen(JSON.stringify(head))} … ${cut} of ${value.length} characters not shown … ${escapeUnseen(JSON.stringify(tail))}`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
