// The quick way through YAML: reads the part of the language that nearly all frontmatter and scripts are written in
// (keys, plain and quoted one-line texts, texts of many lines below `|` or `>`, numbers, lists, lists and objects on one
// line), some twenty times faster than the full parser, and without loading it.
// PLAIN-1. Whatever it reads, it reads exactly as the full parser does, places included. A test compares the two.
// PLAIN-2. It gives up at anything else, before anything is reported: the full parser then reads the whole text.

import type { ListNode, MapNode, ScalarNode, YamlEntry, YamlNode } from './node.ts';

/** Thrown inside this file only. */
const GIVE_UP = Symbol('give up');

/** The tree of a text that begins at `offset`, or undefined where it needs the full parser. */
export function plainTree(text: string, offset: number): MapNode | undefined {
  if (text.length > MOST || UNUSUAL.test(text)) return undefined;
  try {
    const lines = linesOf(text);
    if (lines.length === 0 || lines[0]!.indent !== 0) return undefined;
    const reader: PlainReader = { text, offset, lines, at: 0 };
    const map = blockMap(reader, 0);
    return reader.at === lines.length ? map : undefined;
  } catch (thrown) {
    if (thrown === GIVE_UP) return undefined;
    throw thrown;
  }
}

/**
 * The most UTF-16 units. They also bound the depth of blocks, because each is indented deeper than the one around it.
 */
const MOST = 262_144;

/** Tabs, control characters and special line ends. */
const UNUSUAL = /(?![\n\r])\p{Cc}|[\u00a0\u2028\u2029\ufeff]|\r(?!\n)/u;

interface YamlLine {
  readonly indent: number;
  /** Offsets of the first character that is not a space, and of the place after the last one. */
  readonly start: number;
  readonly end: number;
}

interface PlainReader {
  readonly text: string;
  readonly offset: number;
  readonly lines: YamlLine[];
  at: number;
}

/** The lines that hold something other than spaces and comments. */
function linesOf(text: string): YamlLine[] {
  const lines: YamlLine[] = [];
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

const KEY = /[A-Za-z_$][\w$/-]*(?=:)/y;

/** Without quotes these are not texts, so the full parser decides what they are as keys. */
const NO_TEXT = /^(?:null|true|false)$/i;

/** The key at a place, with the colon after it. */
function keyAt(text: string, at: number): string | undefined {
  const key = match(KEY, text, at);
  return key !== undefined && NO_TEXT.test(key) ? giveUp() : key;
}

function blockMap(reader: PlainReader, indent: number): MapNode {
  const entries = new Map<string, YamlEntry>();
  const first = reader.lines[reader.at]!.start;
  let last = first;
  for (
    let line = reader.lines[reader.at];
    line !== undefined && line.indent >= indent;
    line = reader.lines[reader.at]
  ) {
    if (line.indent > indent) throw GIVE_UP;
    const key = keyAt(reader.text, line.start);
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

/** The value of a key: on its line, or on the lines below it. Undefined for nothing. */
function blockValue(reader: PlainReader, line: YamlLine, after: number, indent: number): YamlNode | undefined {
  const start = skipSpaces(reader.text, after, line.end);
  const next = reader.lines[reader.at];
  if (start < line.end && (reader.text[start] === '|' || reader.text[start] === '>')) {
    return blockText(reader, start, line.end, indent);
  }
  if (start < line.end && reader.text[start] !== '#') {
    // A text that continues below its line.
    if (next !== undefined && next.indent > indent) throw GIVE_UP;
    return lineValue(reader, start, line.end);
  }
  // A comment after an empty value has special rules for the place of what follows.
  if (start < line.end) throw GIVE_UP;
  if (next === undefined || next.indent < indent) throw GIVE_UP;
  const isList =
    reader.text[next.start] === '-' && (next.end === next.start + 1 || reader.text[next.start + 1] === ' ');
  if (isList) return blockList(reader, next.indent);
  if (next.indent > indent) return blockMap(reader, next.indent);
  throw GIVE_UP;
}

/** The lines below `|` or `>`, which are indented deeper than the key. */
function blockText(reader: PlainReader, start: number, headerEnd: number, indent: number): ScalarNode {
  const { text, offset, lines } = reader;
  const header = /^([|>])(-?)$/.exec(text.slice(start, headerEnd)) ?? giveUp();
  const parts: string[] = [];
  let depth = -1; // of the first line, which holds for all
  let full = 0; // how many parts there are up to the last one that is not empty
  let end = text.indexOf('\n', headerEnd) + 1;
  for (let from = end; from > 0 && from < text.length; ) {
    const newline = text.indexOf('\n', from);
    const next = newline < 0 ? text.length : newline;
    let first = from;
    while (first < next && text[first] === ' ') first++;
    const spaces = first - from;
    const isEmpty = first === next;
    if (depth < 0) {
      if (isEmpty || spaces <= indent) throw GIVE_UP;
      depth = spaces;
    } else if (!isEmpty && spaces < depth) {
      if (spaces > indent) throw GIVE_UP;
      break;
    }
    // Lines of spaces, and lines that `>` would not fold, have rules of their own.
    if (isEmpty ? spaces > depth || header[1] === '>' : header[1] === '>' && spaces > depth) throw GIVE_UP;
    parts.push(text.slice(from + depth, next));
    from = next + 1;
    if (isEmpty) continue;
    full = parts.length;
    end = Math.min(from, text.length);
  }
  if (full === 0 || text.slice(start, end).includes('\r')) throw GIVE_UP;
  while (reader.at < lines.length && lines[reader.at]!.start < end) reader.at++;
  const value = parts.slice(0, full).join(header[1] === '>' ? ' ' : '\n') + (header[2] === '-' ? '' : '\n');
  return { kind: 'scalar', value, start: offset + start, end: offset + end };
}

function blockList(reader: PlainReader, indent: number): ListNode {
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
    const item = listItem(reader, line);
    items.push(item);
    last = item.end - reader.offset;
  }
  return { kind: 'list', items, start: reader.offset + first, end: reader.offset + last };
}

/** The entry after a dash: keys, the first of them on its line, or a value that ends on its line. */
function listItem(reader: PlainReader, line: YamlLine): YamlNode {
  const start = skipSpaces(reader.text, line.start + 1, line.end);
  const key = keyAt(reader.text, start);
  const after = start + (key?.length ?? 0) + 1;
  if (key !== undefined && (after === line.end || reader.text[after] === ' ')) {
    // The rest of the line is read like a separate line, indented as deep as its key.
    const indent = line.indent + start - line.start;
    reader.lines[reader.at] = { indent, start, end: line.end };
    return blockMap(reader, indent);
  }
  reader.at++;
  const next = reader.lines[reader.at];
  if (next !== undefined && next.indent > line.indent) throw GIVE_UP;
  return lineValue(reader, start, line.end);
}

/** A value that begins and ends on its line, up to a comment. */
function lineValue(reader: PlainReader, start: number, end: number): YamlNode {
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

function plainText({ text, offset }: PlainReader, start: number, end: number): ScalarNode {
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

/** It has the escapes that JSON has too, except those by number. */
const DOUBLE_QUOTED = /"(?:[^"\\\n]|\\["\\/bfnrt])*"/y;

/** One line. */
function quotedText({ text, offset }: PlainReader, start: number, end: number): ScalarNode {
  const quote = text[start]!;
  const written = quote === '"' ? match(DOUBLE_QUOTED, text, start) : undefined;
  const close = quote === '"' ? start + (written?.length ?? 0) - 1 : text.indexOf(quote, start + 1);
  if (close <= start || close >= end || text[close + 1] === quote) throw GIVE_UP;
  const value = written?.includes('\\') ? (JSON.parse(written) as string) : text.slice(start + 1, close);
  return { kind: 'scalar', value, start: offset + start, end: offset + close + 1 };
}

const FLOW_PLAIN_END = /[,[\]{}]/g;

function flowValue(reader: PlainReader, start: number, end: number, depth: number): YamlNode {
  const { text, offset } = reader;
  if (depth > 20 || start >= end) throw GIVE_UP;
  switch (text[start]) {
    case '[': {
      const items: YamlNode[] = [];
      const close = flowItems(reader, start, end, (from) => {
        const item = flowValue(reader, from, end, depth + 1);
        items.push(item);
        return item.end - offset;
      });
      return { kind: 'list', items, start: offset + start, end: offset + close };
    }
    case '{': {
      const entries = new Map<string, YamlEntry>();
      const close = flowItems(reader, start, end, (from) => {
        const { key, stop } = flowKey(reader, from, end);
        if (entries.has(key)) throw GIVE_UP;
        const value = flowValue(reader, skipSpaces(text, stop + 1, end), end, depth + 1);
        entries.set(key, { key, value, start: offset + from, end: offset + stop });
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

/** A key of an object on one line, and the place of its colon. A colon after a quote needs no space. */
function flowKey(reader: PlainReader, from: number, end: number): { readonly key: string; readonly stop: number } {
  const { text, offset } = reader;
  if (text[from] === '"') {
    const { value, end: behind } = quotedText(reader, from, end);
    const stop = behind - offset;
    return text[stop] === ':' ? { key: value as string, stop } : giveUp();
  }
  const key = keyAt(text, from) ?? giveUp();
  const stop = from + key.length;
  return text[stop + 1] === ' ' ? { key, stop } : giveUp();
}

/** Reads entries from a bracket to its closing one, each by `read`, which returns its end. Returns the place after it. */
function flowItems({ text }: PlainReader, start: number, end: number, read: (from: number) => number): number {
  const close = text[start] === '[' ? ']' : '}';
  let at = skipSpaces(text, start + 1, end);
  if (text[at] === close) return at + 1;
  for (;;) {
    at = skipSpaces(text, read(at), end);
    if (at >= end) throw GIVE_UP;
    if (text[at] === close) return at + 1;
    if (text[at] !== ',') throw GIVE_UP;
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
