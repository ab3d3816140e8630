// Reading values of files of other programs: a value of a wrong kind is as if it were not there.

import { jsonOf, type MapNode, type Stretch, type YamlNode } from '../../base/yaml/node.ts';
import { splitNames } from '../read/tolerant.ts';

export const NO_MAP: MapNode = { kind: 'map', entries: new Map(), start: 0, end: 0 };

const valueUnder = (map: MapNode, key: string): YamlNode | undefined => map.entries.get(key)?.value;

export const mapAt = (map: MapNode, key: string): MapNode => asMap(valueUnder(map, key)) ?? NO_MAP;

export const asMap = (node: YamlNode | undefined): MapNode | undefined => (node?.kind === 'map' ? node : undefined);

export const itemsOf = (node: YamlNode | undefined): readonly YamlNode[] => (node?.kind === 'list' ? node.items : []);

/** A text, a number or a boolean, as text. */
export function scalarText(node: YamlNode | undefined): string | undefined {
  if (node?.kind !== 'scalar' || node.value === null) return undefined;
  const text = String(node.value).trim();
  return text === '' ? undefined : text;
}

export const textAt = (map: MapNode, key: string): string | undefined => scalarText(valueUnder(map, key));

export function numberAt(map: MapNode, key: string): number | undefined {
  const node = valueUnder(map, key);
  return node?.kind === 'scalar' && typeof node.value === 'number' ? node.value : undefined;
}

export const isTrue = (node: YamlNode | undefined): boolean => node?.kind === 'scalar' && node.value === true;

/** A list of texts, or a text with commas. */
export function namesOf(node: YamlNode | undefined): readonly string[] {
  if (node?.kind === 'list') return node.items.flatMap((item) => scalarText(item) ?? []);
  return splitNames(scalarText(node) ?? '');
}

/** Every text in a value. What is a map counts as a text that nobody knows. */
export function textsIn(node: YamlNode): readonly string[] {
  if (node.kind === 'map') return ['{…}'];
  if (node.kind === 'list') return node.items.flatMap(textsIn);
  return node.value === null ? [] : splitNames(String(node.value));
}

export const isEmpty = (node: YamlNode): boolean =>
  node.kind === 'scalar'
    ? node.value === null || node.value === false || node.value === ''
    : (node.kind === 'list' ? node.items.length : node.entries.size) === 0;

/** A node for plain data that has no place of its own in the file. */
export function nodeOf(value: unknown, at: Stretch): YamlNode {
  const { start, end } = at;
  if (Array.isArray(value)) return { kind: 'list', items: value.map((one) => nodeOf(one, at)), start, end };
  if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    const entries = Object.entries(value).map(
      ([key, one]) => [key, { key, value: nodeOf(one, at), start, end }] as const,
    );
    return { kind: 'map', entries: new Map(entries), start, end };
  }
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return { kind: 'scalar', value: isPlain ? value : value instanceof Date ? value.toISOString() : null, start, end };
}

/** Data as a person would write it in one line of cadre.yaml. */
const inOneLine = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/"([A-Za-z_][\w-]*)":/g, '$1: ')
    .replaceAll(/,(?=\S)/g, ', ');

/** The declaration of a server: its address, or the command that starts it. */
export const serverLine = (url: string | undefined, command: string | undefined, args: unknown): string =>
  inOneLine(url === undefined ? { command: command ?? '…', args: args ?? [] } : { url });

export const jsonAt = (map: MapNode, key: string): unknown => {
  const node = valueUnder(map, key);
  return node === undefined ? undefined : jsonOf(node);
};
