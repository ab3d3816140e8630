// YAML as a tree of our own in which every key and every value knows its place. One reader for frontmatter and
// cadre.yaml. Never throws, whatever the bytes: what cannot be read is reported, and the tree holds the rest.
// TREE-1. Keys are strings and unique.
// TREE-2. Anchors are followed, up to a number of nodes: a few lines that stand for millions of values are refused.

import type { Document, ParsedNode } from 'yaml';
import type { MapNode, ScalarNode, Stretch, YamlEntry, YamlNode } from '../../base/yaml/node.ts';
import { YAML_OPTIONS, yaml, yamlProblem } from '../../base/yaml/package.ts';
import { plainTree } from '../../base/yaml/plain.ts';
import { MAX_YAML_DEPTH as MAX_DEPTH, tooDeepAt } from '../../base/yaml/too-deep.ts';
import type { ReportFinding } from '../diagnostic.ts';
import { lineOf, type Source } from '../source.ts';

/** The longest text that is parsed, in UTF-16 units. A megabyte can take seconds to parse. */
const MAX_YAML = 262_144;
const MAX_NODES = 50_000;

/** The tree of `text`, which begins at `offset` in the source. Undefined where nothing useful could be read. */
export function yamlTree(source: Source, text: string, offset: number, report: ReportFinding): YamlNode | undefined {
  return plainTree(text, offset) ?? fullTree(source, text, offset, report);
}

/** Uses only the full parser, which is loaded for the first text that needs it. */
export function fullTree(source: Source, text: string, offset: number, report: ReportFinding): YamlNode | undefined {
  const found = parsed(source, text, offset, report);
  if (found === undefined) return undefined;
  const growth = new Growth(source, offset, report);
  return found.contents === null
    ? { kind: 'scalar', value: null, start: offset, end: offset }
    : growth.node(found.contents, 0);
}

function parsed(source: Source, text: string, offset: number, report: ReportFinding): Document.Parsed | undefined {
  if (text.length > MAX_YAML) {
    report({
      code: 'yaml/too-large',
      source,
      at: { start: offset, end: offset },
      message: `the YAML has ${text.length} characters, and the limit is ${MAX_YAML}`,
      help: 'Put long texts into the body, or into files that the agent reads with its tools.',
    });
    return undefined;
  }
  const deep = tooDeepAt(text);
  if (deep !== undefined) {
    report({
      code: 'yaml/too-deep',
      source,
      at: { start: offset + deep, end: offset + deep + 1 },
      message: 'the YAML is nested too deeply to be read',
      help: `Nest no deeper than ${MAX_DEPTH} levels, and close what was opened.`,
    });
    return undefined;
  }
  const document = yaml().parseDocument(text, { ...YAML_OPTIONS, uniqueKeys: false });
  const lines = new Set<number>();
  const problems = [...document.errors, ...document.warnings];
  for (const { code, message, pos } of problems) {
    const at = { start: offset + pos[0], end: offset + Math.max(pos[0], pos[1]) };
    const line = lineOf(source, at);
    // Further errors on the same line usually follow from the first one.
    if (lines.has(line)) continue;
    lines.add(line);
    report({
      code: 'yaml/syntax',
      source,
      at,
      message: `not valid YAML: ${lowerFirst(yamlProblem(message))}`,
      help: YAML_HELP[code] ?? '',
    });
  }
  return problems.length > 0 ? undefined : document;
}

const YAML_HELP: Readonly<Partial<Record<string, string>>> = {
  TAB_AS_INDENT: 'Indent with spaces: YAML does not allow tabs there.',
  BAD_INDENT: 'Give all entries of one level the same indentation, with spaces.',
  BAD_SCALAR_START: 'Put the value in quotes: it begins with a character that YAML reserves.',
  BAD_DQ_ESCAPE: 'Write a backslash inside double quotes as \\\\, or use single quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'A text with ": " in it needs quotes: key: "a: b".',
  MULTILINE_IMPLICIT_KEY: 'Write the key on one line, and end it with a colon.',
  MISSING_CHAR: 'Close what was opened: a quote, a bracket, or a key with its colon.',
  BAD_ALIAS: 'Put a text that begins with * or & in quotes.',
  UNEXPECTED_TOKEN: 'Check quotes, brackets and colons on this line.',
  RESOURCE_EXHAUSTION: `Nest no deeper than ${MAX_DEPTH} levels.`,
  MULTIPLE_DOCS: 'Keep one YAML document: remove the second ---.',
  TAG_RESOLVE_FAILED: 'Remove the tag (!…), or put a text that begins with ! in quotes.',
  NON_STRING_KEY: 'Write the key as plain text.',
};

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Builds our tree from the parser's. */
class Growth {
  readonly #source: Source;
  readonly #offset: number;
  readonly #report: ReportFinding;
  readonly #anchors = new Map<string, YamlNode>();
  #nodes = 0;
  #refused = false;

  constructor(source: Source, offset: number, report: ReportFinding) {
    this.#source = source;
    this.#offset = offset;
    this.#report = report;
  }

  node(from: ParsedNode, depth: number): YamlNode {
    const at = this.#at(from.range);
    if (++this.#nodes > MAX_NODES || depth > MAX_DEPTH) return this.#refuse(at);
    if (yaml().isAlias(from)) return this.#alias(from.source, at);
    const grown = this.#grow(from, at, depth);
    if (from.anchor !== undefined) this.#anchors.set(from.anchor, grown);
    return grown;
  }

  #grow(from: ParsedNode, at: Stretch, depth: number): YamlNode {
    if (yaml().isScalar(from)) return { kind: 'scalar', value: scalarValue(from.value), ...at };
    if (yaml().isSeq(from)) {
      const items = from.items.map((item) =>
        // `[a: b]` holds a pair: a map of one entry.
        yaml().isPair(item) ? this.#map([item], at, depth) : this.node(item as ParsedNode, depth + 1),
      );
      return { kind: 'list', items, ...at, end: from.flow === true ? at.end : (items.at(-1)?.end ?? at.end) };
    }
    if (yaml().isMap(from)) {
      const map = this.#map(from.items, at, depth);
      // A block ends where its last value does; the parser includes the line end.
      return from.flow === true ? map : { ...map, end: [...map.entries.values()].at(-1)?.value.end ?? at.end };
    }
    return { kind: 'scalar', value: null, ...at };
  }

  #map(pairs: readonly { key: unknown; value: unknown }[], at: Stretch, depth: number): MapNode {
    const entries = new Map<string, YamlEntry>();
    for (const pair of pairs) {
      const keyNode = pair.key as ParsedNode;
      const key = yaml().isScalar(keyNode) ? String(keyNode.value) : '';
      const keyAt = this.#at(keyNode.range);
      if (keyNode.anchor !== undefined) this.#anchors.set(keyNode.anchor, { kind: 'scalar', value: key, ...keyAt });
      const first = entries.get(key);
      if (first !== undefined) {
        this.#report({
          code: 'yaml/duplicate-key',
          source: this.#source,
          at: keyAt,
          message: `"${key}" is given twice; the first is on line ${lineOf(this.#source, first)}`,
          help: 'Keep one of the two.',
        });
        continue;
      }
      const value = pair.value === null ? undefined : this.node(pair.value as ParsedNode, depth + 1);
      // The value of a key with nothing after it has the place of the key.
      const missing =
        value === undefined || (value.kind === 'scalar' && value.value === null && value.end <= value.start);
      entries.set(key, { key, value: missing ? { kind: 'scalar', value: null, ...keyAt } : value, ...keyAt });
    }
    return { kind: 'map', entries, ...at };
  }

  #alias(name: string, at: Stretch): YamlNode {
    const target = this.#anchors.get(name);
    if (target !== undefined) {
      this.#nodes += sizeOf(target, MAX_NODES);
      return this.#nodes > MAX_NODES ? this.#refuse(at) : { ...target, ...at };
    }
    this.#report({
      code: 'yaml/alias',
      source: this.#source,
      at,
      message: `*${name} stands for a value that contains itself`,
      help: 'Refer only to anchors that are complete before the reference.',
    });
    return { kind: 'scalar', value: null, ...at };
  }

  #refuse(at: Stretch): YamlNode {
    if (!this.#refused) {
      this.#report({
        code: 'yaml/too-large',
        source: this.#source,
        at,
        message: `more than ${MAX_NODES} values, or nested deeper than ${MAX_DEPTH} levels, aliases counted in full`,
        help: 'Make it smaller.',
      });
    }
    this.#refused = true;
    return { kind: 'scalar', value: null, ...at };
  }

  #at(range: readonly number[] | null | undefined): Stretch {
    const start = this.#offset + (range?.[0] ?? 0);
    return { start, end: Math.max(start, this.#offset + (range?.[1] ?? 0)) };
  }
}

function scalarValue(value: unknown): ScalarNode['value'] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'bigint' ? Number(value) : null;
}

function sizeOf(node: YamlNode, limit: number): number {
  let size = 1;
  const children =
    node.kind === 'list'
      ? node.items
      : node.kind === 'map'
        ? [...node.entries.values()].map((entry) => entry.value)
        : [];
  for (const child of children) {
    size += sizeOf(child, limit - size);
    if (size > limit) break;
  }
  return size;
}
