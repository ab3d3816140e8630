// The cadres below a folder: each folder with a cadre.yaml of its own.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_FILE } from '../definition.ts';

const DEEPEST = 4;

/** The cadres below a folder, in the order of their names. A folder that cannot be read holds none. */
export const cadresBelow = (folder: string): readonly string[] => below(folder, 1);

function below(folder: string, depth: number): readonly string[] {
  if (depth > DEEPEST) return [];
  return subfolders(folder).flatMap((name) => {
    const path = join(folder, name);
    return existsSync(join(path, CONFIG_FILE)) ? [path] : below(path, depth + 1);
  });
}

function subfolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      .map(({ name }) => name)
      .sort();
  } catch {
    return []; // reading the folder itself reports why it cannot be read
  }
}
