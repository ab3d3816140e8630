// What of a workspace is Cadre's own: to the file tools it does not exist. A recording or a journal that an agent could
// list would change with every run, and a run that looks at itself cannot be played back.

import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** Whether a path is hidden. It is absolute, and its folders are without links. */
export type Hidden = (path: string) => boolean;

/** Wherever a store is by default, whoever made it. */
const STORE_FOLDER = '.cadre';

/** Hides these files and folders, whether they are there yet or not, and everything named `.cadre`. */
export async function hiding(root: string, paths: readonly string[]): Promise<Hidden> {
  const found = await Promise.all(paths.flatMap((path) => [placeOf(resolve(path)), realpath(path).catch(() => path)]));
  const hidden = [...new Set(found.map(comparable))].filter((path) => !holds(path, comparable(root)));
  return (path) => {
    const asked = comparable(path);
    if (hidden.some((one) => holds(one, asked))) return true;
    return comparable(relative(root, path)).split(sep).includes(STORE_FOLDER);
  };
}

const holds = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

/** Without case, as some file systems compare names. */
const comparable = (path: string): string => path.toLowerCase();

/** The path with all links resolved but for its last part, as far as its folders are there. */
async function placeOf(path: string): Promise<string> {
  const folder = dirname(path);
  if (folder === path) return path;
  const real = await realpath(folder).catch(() => placeOf(folder));
  return join(real, basename(path));
}
