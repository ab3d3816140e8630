// The cadres below a folder that is none itself: each folder with a cadre.yaml of its own.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_FILE } from './config.ts';

const DEEPEST = 4;

/** In the order of their names. A folder that cannot be read holds none. */
export function nestedCadres(folder: string, depth = 0): readonly string[] {
  if (existsSync(join(folder, CONFIG_FILE))) return [folder];
  if (depth === DEEPEST) return [];
  return subfolders(folder).flatMap((name) => nestedCadres(join(folder, name), depth + 1));
}

function subfolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      .map(({ name }) => name)
      .sort();
  } catch {
    return []; // whoever reads the folder itself reports why it cannot be read
  }
}
