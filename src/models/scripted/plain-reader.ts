// Reads a script by the quick way through YAML, without the yaml package. It only counts mistakes: if there is one, the
// caller reads the text again with the full reader, which says what is wrong and where.

import { jsonOf, type YamlNode } from '../../base/yaml/node.ts';
import { plainTree } from '../../base/yaml/plain.ts';
import { durationMs, type YamlReader } from './yaml-reader.ts';

type PlainNode = YamlNode | null;

/** Undefined for a text that takes the full reader. */
export function readPlainYaml(text: string): YamlReader | undefined {
  const root = plainTree(text, 0);
  if (root === undefined) return undefined;
  let mistakes = 0;
  let starts: readonly number[] | undefined; // of the lines
  const wrong = (): undefined => {
    mistakes += 1;
  };
  const scalarOf = (node: PlainNode) => (node?.kind === 'scalar' ? node.value : undefined);
  return {
    root,
    mistakes: () => mistakes,
    place(node: PlainNode) {
      const start = node?.start ?? 0;
      starts ??= [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
      const line = starts.findLastIndex((one) => one <= start);
      return { line: line + 1, column: start - starts[line]! + 1 };
    },
    wrong,
    entries(node: PlainNode, _what, known) {
      if (node?.kind !== 'map') wrong();
      const entries = node?.kind === 'map' ? [...node.entries.values()] : [];
      if (known !== undefined && entries.some(({ key }) => !known.includes(key))) wrong();
      return entries;
    },
    items(node: PlainNode) {
      if (node?.kind === 'list') return node.items;
      wrong();
      return [];
    },
    text(node: PlainNode) {
      const value = scalarOf(node) ?? wrong();
      return value === undefined ? undefined : String(value);
    },
    number(node: PlainNode, _what, least) {
      const value = scalarOf(node);
      return typeof value === 'number' && value >= least ? value : wrong();
    },
    duration: (node: PlainNode) => durationMs(scalarOf(node)) ?? wrong(),
    value: (node: PlainNode) => (node === null ? undefined : jsonOf(node)),
    isMap: (node: PlainNode) => node?.kind === 'map',
    isList: (node: PlainNode) => node?.kind === 'list',
  };
}
