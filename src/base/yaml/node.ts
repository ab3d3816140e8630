// YAML as a tree of our own, in which every key and every value knows its place.
// Keys live in Maps, so `__proto__` is a key like any other.

/** A stretch of a text, from offset to offset, in UTF-16 units. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface ScalarNode extends Stretch {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
}

export interface ListNode extends Stretch {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
}

export interface MapNode extends Stretch {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, YamlEntry>;
}

export type YamlNode = ScalarNode | ListNode | MapNode;

/** One `key: value`, with the place of the key. */
export interface YamlEntry extends Stretch {
  readonly key: string;
  readonly value: YamlNode;
}

/** Plain JSON of a tree. Own properties only, whatever the keys are called. */
export function jsonOf(node: YamlNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(jsonOf);
    case 'map':
      return Object.fromEntries([...node.entries].map(([key, entry]) => [key, jsonOf(entry.value)]));
  }
}

/** The node at a path of keys and indices, or the nearest one above it that exists. */
export function nodeAt(root: YamlNode, path: readonly (string | number)[]): YamlNode {
  let node = root;
  for (const step of path) {
    const child: YamlNode | undefined =
      node.kind === 'map'
        ? node.entries.get(String(step))?.value
        : node.kind === 'list'
          ? node.items[Number(step)]
          : undefined;
    if (child === undefined) return node;
    node = child;
  }
  return node;
}
