// Frontmatter that people write for other tools, where it has only one meaning: `model` for `models`, `models: inherit` for
// what cadre.yaml says, and a text with commas for a list of names. It is put into Cadre's own form before it is read, with
// the places that it has in the file.

import type { MapNode, ScalarNode, YamlEntry, YamlNode } from '../../base/yaml/node.ts';
import type { ReportFinding } from '../diagnostic.ts';
import type { Source } from '../source.ts';
import { withCatalog } from './keys-forms.ts';

/** Keys that take a list of names, and so a text with commas. */
const NAME_LISTS: ReadonlySet<string> = new Set([
  'tools',
  'approve',
  'trust',
  'deny',
  'skills',
  ...withCatalog([]).flatMap(({ key, keySpec: { form } }) => ('orText' in form ? [key] : [])),
]);

export function tolerant(tree: MapNode, source: Source, report: ReportFinding): MapNode {
  const { entries } = tree;
  const isPlain = !entries.has('model') && ![...entries.values()].some(isOther);
  if (isPlain) return tree;
  const own = new Map<string, YamlEntry>();
  for (const entry of entries.values()) {
    const key = entry.key === 'model' ? 'models' : entry.key;
    if (key !== entry.key && entries.has('models')) {
      report({
        code: 'key/conflict',
        source,
        at: entry,
        message: '`model` and `models` mean the same',
        help: 'Keep one of them. `models` takes one model, or several in order of preference.',
      });
      continue;
    }
    if (key === 'models' && isInherit(entry.value)) continue;
    const value = NAME_LISTS.has(key) && isText(entry.value) ? namesIn(entry.value, source) : entry.value;
    own.set(key, { ...entry, key, value });
  }
  return { ...tree, entries: own };
}

const isOther = ({ key, value }: YamlEntry): boolean =>
  key === 'models' ? isInherit(value) : NAME_LISTS.has(key) && isText(value);

const isText = (node: YamlNode): node is ScalarNode & { readonly value: string } =>
  node.kind === 'scalar' && typeof node.value === 'string';

const isInherit = (node: YamlNode): boolean => isText(node) && node.value.trim() === 'inherit';

/** The names of a text, each at its place. A comma inside of parentheses belongs to the name: `shell(git log a, b)`. */
function namesIn(node: ScalarNode & { readonly value: string }, { text }: Source): YamlNode {
  const written = text.slice(node.start, node.end);
  let from = 0;
  const items = splitNames(node.value).map((name): ScalarNode => {
    // A text with escapes is not written as it is read. From there on the whole text is the place.
    const found = from < 0 ? -1 : written.indexOf(name, from);
    from = found < 0 ? -1 : found + name.length;
    if (found < 0) return { kind: 'scalar', value: name, start: node.start, end: node.end };
    return { kind: 'scalar', value: name, start: node.start + found, end: node.start + from };
  });
  return { kind: 'list', items, start: node.start, end: node.end };
}

export function splitNames(text: string): readonly string[] {
  const names: string[] = [];
  let depth = 0;
  let begin = 0;
  for (let at = 0; at <= text.length; at++) {
    const letter = text[at];
    if (letter === '(') depth += 1;
    else if (letter === ')') depth = Math.max(0, depth - 1);
    else if (letter === undefined || (letter === ',' && depth === 0)) {
      names.push(text.slice(begin, at).trim());
      begin = at + 1;
    }
  }
  return names.filter((name) => name !== '');
}
