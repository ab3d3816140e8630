// Reads a file that was written for another tool. Those tools take the frontmatter of Markdown line by line, so a description
// with ": " in it, which is not YAML, is read like that here too.

import type { MapNode, ScalarNode, YamlEntry, YamlNode } from '../../base/yaml/node.ts';
import { splitFrontmatter } from '../read/frontmatter.ts';
import { yamlTree } from '../read/yaml-tree.ts';
import type { Source } from '../source.ts';
import type { ForeignFile } from './dialect.ts';
import { NO_MAP } from './nodes.ts';

/** The longest frontmatter that is read. */
const MAX_FRONTMATTER = 262_144;

/** Undefined where there is no frontmatter, or it does not end, or it is far too long. */
export function readForeign(source: Source): ForeignFile | undefined {
  const parts = splitFrontmatter(source.text);
  if (parts === undefined || parts.yaml.length > MAX_FRONTMATTER) return undefined;
  const { yaml, offset, body } = parts;
  let isYaml = true;
  const tree = yamlTree(source, yaml, offset, () => (isYaml = false));
  if (isYaml && tree?.kind === 'map') return { tree, body, isYaml };
  return { tree: byLine(yaml, offset), body, isYaml: false };
}

/** YAML or JSON. Throws an error that says what is wrong. */
export function readData(source: Source): ForeignFile {
  const problems: string[] = [];
  const tree = yamlTree(source, source.text, 0, ({ message }) => problems.push(message));
  if (problems[0] !== undefined) throw new Error(problems[0]);
  if (tree?.kind !== 'map') throw new Error('it holds no keys');
  return { tree, body: '', isYaml: true };
}

/** Markdown that is an agent as a whole, without any keys. */
export const withoutKeys = ({ text }: Source): ForeignFile => ({ tree: NO_MAP, body: text.trim(), isYaml: true });

/** A line that begins with `key:` begins an entry, and every other line belongs to the one before. */
function byLine(text: string, offset: number): MapNode {
  const entries = new Map<string, YamlEntry>();
  let current: { readonly key: string; readonly start: number; readonly lines: string[] } | undefined;
  const close = (end: number): void => {
    if (current === undefined || entries.has(current.key)) return;
    const { key, start, lines } = current;
    entries.set(key, { key, value: valueOf(lines, start, end), start, end: start + key.length });
  };
  let at = offset;
  for (const line of text.split('\n')) {
    const [, key, rest] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(line.trimEnd()) ?? [];
    if (key === undefined) current?.lines.push(line.trim());
    else {
      close(at);
      current = { key, start: at, lines: rest === undefined ? [] : [rest] };
    }
    at += line.length + 1;
  }
  close(at);
  return { kind: 'map', entries, start: offset, end: offset + text.length };
}

function valueOf(lines: readonly string[], start: number, end: number): YamlNode {
  const written = /^[|>][-+]?$/.test(lines[0] ?? '') ? lines.slice(1) : lines;
  const given = written.filter((line) => line !== '');
  const scalar = (value: string): ScalarNode => ({ kind: 'scalar', value: unquoted(value), start, end });
  if (given.length > 0 && given.every((line) => line.startsWith('- ')))
    return { kind: 'list', items: given.map((line) => scalar(line.slice(2).trim())), start, end };
  const whole = given.join(' ').trim();
  if (/^\[.*\]$/.test(whole)) {
    return { kind: 'list', items: listed(whole.slice(1, -1)).map(scalar), start, end };
  }
  return given.length === 0 ? { kind: 'scalar', value: null, start, end } : scalar(written.join('\n').trim());
}

/** The entries of `[a, "b c" 'd']`, which somebody may have written without a comma. */
const listed = (text: string): readonly string[] =>
  [...text.matchAll(/"[^"]*"|'[^']*'|[^,"']+/g)].map(([entry]) => entry.trim()).filter((entry) => entry !== '');

const unquoted = (text: string): string => (text.length > 1 && /^(["'])[^]*\1$/.test(text) ? text.slice(1, -1) : text);
