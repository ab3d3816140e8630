// Pairs of folders that import each other. A room's own files are its contract, and its folders stand on them; one file of
// the room imports the folders and puts them together. What goes through that one file makes no pair.

import { dirname } from 'node:path/posix';
import { targetOf } from './names.mjs';

/** Each pair once, as `one (imports) and other (imports)`. */
export function mutualPairs(shapes) {
  const edges = edgesOf(shapes);
  const opened = roomsWithOneOpener(edges);
  const isHeld = (from, to) => opened.has(from) && to.startsWith(`${from}/`);
  return [...edges].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, files]) => {
      const back = edges.get(to)?.get(from);
      if (from > to || back === undefined || isHeld(from, to) || isHeld(to, from)) return [];
      return [`${from} (${files.length}) and ${to} (${back.length})`];
    }),
  );
}

/** For each folder, the folders that it imports, with the importing file once for each import. */
function edgesOf(shapes) {
  const edges = new Map();
  for (const { path, imports } of shapes) {
    const from = dirname(path);
    for (const { from: specifier } of imports) {
      const target = targetOf(path, specifier);
      if (target === undefined || dirname(target) === from) continue;
      const targets = edges.get(from) ?? new Map();
      targets.set(dirname(target), [...(targets.get(dirname(target)) ?? []), path]);
      edges.set(from, targets);
    }
  }
  return edges;
}

/** The folders of which a single file imports all folders below that import it. */
function roomsWithOneOpener(edges) {
  const hasOne = ([folder, targets]) => {
    const mutual = [...targets].filter(([to]) => to.startsWith(`${folder}/`) && edges.get(to)?.has(folder));
    return new Set(mutual.flatMap(([, files]) => files)).size === 1;
  };
  return new Set([...edges].filter(hasOne).map(([folder]) => folder));
}
