// Graphs and groups of plain data.

/** Everything that leads on from these, they themselves among them, each once. What was named last is followed first. */
export function reachedFrom<Node>(starts: Iterable<Node>, next: (node: Node) => Iterable<Node>): Set<Node> {
  const reached = new Set<Node>();
  const waiting = [...starts];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    waiting.push(...next(node));
  }
  return reached;
}

/** The items that have the same key, in their order. */
export function groupedBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
