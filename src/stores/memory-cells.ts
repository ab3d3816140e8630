// Cells in memory.

import { type Cell, type Cells, type CellValue, checkKey, firstOfKey, NO_BYTES, type Space } from '../journal/cells.ts';

export function memoryCells(now: () => number = Date.now): Cells {
  const spaces = new Map<string, Map<string, Cell>>();
  const watchers = new Map<string, Set<() => void>>();
  let versions = 0;
  const of = ({ name }: Space): Map<string, Cell> => {
    const known = spaces.get(name) ?? new Map<string, Cell>();
    spaces.set(name, known);
    return known;
  };
  const put = (space: Space, key: string, { head, body }: CellValue): string => {
    const version = String(++versions);
    of(space).set(key, { key, version, putAt: now(), size: body.length, head, body: Uint8Array.from(body) });
    if (space.tells)
      for (const told of watchers.get(`${space.name} ${firstOfKey(key)}`) ?? []) setImmediate(told).unref();
    return version;
  };
  return {
    async get(space, key) {
      const cell = of(space).get(key);
      return cell && { ...cell, body: Uint8Array.from(cell.body) };
    },
    async putIf(space, key, value, expected) {
      const standing = of(space).get(checkKey(key));
      const isAsExpected =
        expected === 'any' || (expected === 'absent' ? standing === undefined : standing?.version === expected.version);
      if (isAsExpected) return { isPut: true, version: put(space, key, value) };
      return { isPut: false, standing: standing && { ...standing, body: NO_BYTES } };
    },
    async touch(space, key) {
      const cell = of(space).get(key);
      if (cell !== undefined) put(space, key, cell);
      return cell !== undefined;
    },
    async list(space, prefix, { limit, order = 'up', with: part = 'heads' } = {}) {
      const keys = [...of(space).keys()].filter((key) => key.startsWith(prefix)).sort();
      if (order === 'down') keys.reverse();
      return keys.slice(0, limit).map((key) => {
        const cell = of(space).get(key) as Cell;
        const head = part === 'keys' ? '' : cell.head;
        return { ...cell, head, body: part === 'bodies' ? Uint8Array.from(cell.body) : NO_BYTES };
      });
    },
    async delete(space, key, version) {
      const cell = of(space).get(key);
      if (cell === undefined || (version !== undefined && cell.version !== version)) return false;
      return of(space).delete(key);
    },
    async setAside(space, key) {
      of(space).delete(key);
      return undefined;
    },
    watch({ name }, first, told) {
      const place = `${name} ${first}`;
      const tells = watchers.get(place) ?? new Set();
      watchers.set(place, tells.add(told));
      return () => {
        tells.delete(told);
        if (tells.size === 0 && watchers.get(place) === tells) watchers.delete(place);
      };
    },
  };
}
