// The quick way through YAML: reads the part of the language that nearly all frontmatter is written in (keys, plain and
// quoted one-line texts, numbers, lists, lists and objects on one line), some twenty times faster than the full parser.
// P1. What it reads, it reads exactly as the full parser does, places included. A test holds the two together.
// P2. At anything else it gives up, before anything is reported: the full parser then takes the whole text.

import type { Entry, ListNode, MapNode, ScalarNode, YamlNode } from './node.ts';

/** Thrown inside this file only. */
const GIVE_UP = Symbol('give up');

/** The tree of a text that stands at `offset`, or undefined where it takes the full parser. */
export function plainTree(text: string, offset: number): MapNode | undefined {
  if (UNUSUAL.test(text)) return undefined;
  try {
    const lines = linesOf(text);
    if (lines.length === 0 || lines[0]!.indent !== 0) return undefined;
    const reader: Reader = { text, offset, lines, at: 0 };
    const map = blockMap(reader, 0);
    return reader.at === lines.length ? map : undefined;
  } catch (thrown) {
    if (thrown === GIVE_UP) return undefined;
    throw thrown;
  }
}

/** Tabs, control characters and special line ends. */
const UNUSUAL = /(?![\n\r])\p{Cc}|[\u00a0\u2028\u2029\ufeff]|\r(?!\n)/u;

interface Line {
  readonly indent: number;
  /** Offsets of the first character that is not a space, and behind the last one. */
  readonly start: number;
  readonly end: number;
}

interface Reader {
  readonly text: string;
  readonly offset: number;
  readonly lines: readonly Line[];
  at: number;
}

/** The lines that hold something other than spaces and comments. */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from);
    const next = newline < 0 ? text.length : newline;
    let start = from;
    while (start < next && text[start] === ' ') start++;
    let end = next;
    while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\r')) end--;
    if (end > start && text[start] !== '#') lines.push({ indent: start - from, start, end });
    from = next + 1;
  }
  return lines;
}

const KEY = /[A-Za-z_$][\w$-]*(?=:)/y;

function blockMap(reader: Reader, indent: number): MapNode {
  const entries = new Map<string, Entry>();
  const first = reader.lines[reader.at]!.start;
  let last = first;
  for (
    let line = reader.lines[reader.at];
    line !== undefined && line.indent >= indent;
    line = reader.lines[reader.at]
  ) {
    if (line.indent > indent) throw GIVE_UP;
    const key = match(KEY, reader.text, line.start);
    if (key === undefined || entries.has(key)) throw GIVE_UP;
    const after = line.start + key.length + 1;
    if (after < line.end && reader.text[after] !== ' ') throw GIVE_UP;
    const at = { start: reader.offset + line.start, end: reader.offset + line.start + key.length };
    reader.at++;
    const value = blockValue(reader, line, after, indent) ?? { kind: 'scalar' as const, value: null, ...at };
    entries.set(key, { key, value, ...at });
    last = value.end - reader.offset;
  }
  return { kind: 'map', entries, start: reader.offset + first, end: reader.offset + last };
}

/** What stands behind a key: on its line, or on the lines below it. Undefined for nothing. */
function blockValue(reader: Reader, line: Line, after: number, indent: number): YamlNode | undefined {
  const start = skipSpaces(reader.text, after, line.end);
  const next = reader.lines[reader.at];
  if (start < line.end && reader.text[start] !== '#') {
    // A text that goes on below its line.
    if (next !== undefined && next.indent > indent) throw GIVE_UP;
    return lineValue(reader, start, line.end);
  }
  // A comment behind an empty value moves the place of what follows in ways of its own.
  if (start < line.end) throw GIVE_UP;
  if (next === undefined || next.indent < indent) throw GIVE_UP;
  const isList =
    reader.text[next.start] === '-' && (next.end === next.start + 1 || reader.text[next.start + 1] === ' ');
  if (isList) return blockList(reader, next.indent);
  if (next.indent > indent) return blockMap(reader, next.indent);
  throw GIVE_UP;
}

function blockList(reader: Reader, indent: number): ListNode {
  const items: YamlNode[] = [];
  const first = reader.lines[reader.at]!.start;
  let last = first;
  for (
    let line = reader.lines[reader.at];
    line !== undefined && line.indent === indent;
    line = reader.lines[reader.at]
  ) {
    if (reader.text[line.start] !== '-') break;
    if (reader.text[line.start + 1] !== ' ') throw GIVE_UP;
    reader.at++;
    const next = reader.lines[reader.at];
    if (next !== undefined && next.indent > indent) throw GIVE_UP;
    const item = lineValue(reader, skipSpaces(reader.text, line.start + 1, line.end), line.end);
    items.push(item);
    last = item.end - reader.offset;
  }
  return { kind: 'list', items, start: reader.offset + first, end: reader.offset + last };
}

/** A value that begins and ends on its line, up to a comment. */
function lineValue(reader: Reader, start: number, end: number): YamlNode {
  const { text, offset } = reader;
  const opening = text[start]!;
  if (opening === '[' || opening === '{') {
    const flow = flowValue(reader, start, end, 0);
    const rest = skipSpaces(text, flow.end - offset, end);
    if (rest < end && (text[rest] !== '#' || text[rest - 1] !== ' ')) throw GIVE_UP;
    return flow;
  }
  if (opening === '"' || opening === "'") {
    const quoted = quotedText(reader, start, end);
    const rest = skipSpaces(text, quoted.end - offset, end);
    if (rest < end && (text[rest] !== '#' || text[rest - 1] !== ' ')) throw GIVE_UP;
    return quoted;
  }
  const comment = text.indexOf(' #', start);
  const stop = comment < 0 || comment >= end ? end : trimmedEnd(text, start, comment);
  return plainText(reader, start, stop);
}

const PLAIN_START = /[A-Za-z0-9._/$(\u00a1-\u2027\u202a-\ufefe]|-[0-9A-Za-z]/y;

function plainText({ text, offset }: Reader, start: number, end: number): ScalarNode {
  if (match(PLAIN_START, text, start) === undefined || text[end - 1] === ':') throw GIVE_UP;
  const colon = text.indexOf(': ', start);
  if (colon >= 0 && colon < end) throw GIVE_UP;
  return { kind: 'scalar', value: scalarOf(text.slice(start, end)), start: offset + start, end: offset + end };
}

/** Plain text by the core schema. Rarer forms of numbers are left to the full parser. */
function scalarOf(written: string): ScalarNode['value'] {
  if (/^[-+.0-9]/.test(written)) {
    if (/^-?(?:0|[1-9][0-9]{0,14})$/.test(written)) return written === '-0' ? giveUp() : Number(written);
    if (/^-?(?:0|[1-9][0-9]{0,9})\.[0-9]{1,9}$/.test(written)) return Number(written);
    if (/^[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]*)?|0[ox].*|\.[A-Za-z]+)$/.test(written)) throw GIVE_UP;
    return written;
  }
  switch (written) {
    case 'null':
    case 'Null':
    case 'NULL':
      throw GIVE_UP;
    case 'true':
    case 'True':
    case 'TRUE':
      return true;
    case 'false':
    case 'False':
    case 'FALSE':
      return false;
    default:
      return written;
  }
}

function giveUp(): never {
  throw GIVE_UP;
}

/** One line, and nothing escaped in it. */
function quotedText({ text, offset }: Reader, start: number, end: number): ScalarNode {
  const quote = text[start]!;
  const close = text.indexOf(quote, start + 1);
  if (close < 0 || close >= end) throw GIVE_UP;
  const value = text.slice(start + 1, close);
  if ((quote === '"' && value.includes('\\')) || text[close + 1] === quote) throw GIVE_UP;
  return { kind: 'scalar', value, start: offset + start, end: offset + close + 1 };
}

const FLOW_PLAIN_END = /[,[\]{}]/g;

function flowValue(reader: Reader, start: number, end: number, depth: number): YamlNode {
  const { text, offset } = reader;
  if (depth > 20 || start >= end) throw GIVE_UP;
  switch (text[start]) {
    case '[': {
      const items: YamlNode[] = [];
      const close = flowItems(reader, start, end, ']', (from) => {
        const item = flowValue(reader, from, end, depth + 1);
        items.push(item);
        return item.end - offset;
      });
      return { kind: 'list', items, start: offset + start, end: offset + close };
    }
    case '{': {
      const entries = new Map<string, Entry>();
      const close = flowItems(reader, start, end, '}', (from) => {
        const key = match(KEY, text, from);
        const after = from + (key?.length ?? 0) + 1;
        if (key === undefined || entries.has(key) || text[after] !== ' ') throw GIVE_UP;
        const value = flowValue(reader, skipSpaces(text, after, end), end, depth + 1);
        entries.set(key, { key, value, start: offset + from, end: offset + from + key.length });
        return value.end - offset;
      });
      return { kind: 'map', entries, start: offset + start, end: offset + close };
    }
    case '"':
    case "'":
      return quotedText(reader, start, end);
    default: {
      FLOW_PLAIN_END.lastIndex = start;
      const found = FLOW_PLAIN_END.exec(text);
      if (found === null || found.index >= end) throw GIVE_UP;
      const stop = trimmedEnd(text, start, found.index);
      const written = text.slice(start, stop);
      if (stop === start || written.includes(' #')) throw GIVE_UP;
      return plainText(reader, start, stop);
    }
  }
}

/** Reads entries up to the closing bracket, each by `read`, which gives where it ends. Gives the place behind the bracket. */
function flowItems(
  { text }: Reader,
  start: number,
  end: number,
  close: string,
  read: (from: number) => number,
): number {
  let at = skipSpaces(text, start + 1, end);
  if (text[at] === close) return at + 1;
  for (;;) {
    at = skipSpaces(text, read(at), end);
    if (at >= end) throw GIVE_UP;
    if (text[at] === close) return at + 1;
    if (text[at] !== ',' || text[at + 1] !== ' ') throw GIVE_UP;
    at = skipSpaces(text, at + 1, end);
  }
}

function skipSpaces(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && text[at] === ' ') at++;
  return at;
}

function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && text[at - 1] === ' ') at--;
  return at;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
