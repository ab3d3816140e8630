// The files in a workspace that are Cadre's own: the file tools do not see them. A recording or a journal that an agent
// could list would change with every run, and a run that reads its own journal cannot be played back.
// The store of the run is known by its path. Other stores are known by what they hold, and tests by their names: an agent
// that could read its tests would find the expected answers, and a test that is saved would change what the next run finds.

import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** The default folder of a store. */
const STORE_FOLDER = '.cadre';

/** The parts of a store. It may share a folder with other things, as with `--store .`. */
const STORE_PARTS: ReadonlySet<string> = new Set([
  'runs',
  'runs.jsonl',
  'blobs',
  'control',
  'control-claims',
  'filters',
  'keys',
  'processes',
  'sign-in-leases',
  'sign-ins',
  'store-format',
  'test-results',
]);
/** Every store has these folders. */
const STORE_MARKS = ['runs', 'blobs'];

/** Test files, the answers that they keep, and the recordings that are made with them. */
const OF_TESTS = /\.(?:test\.yaml|test\.snapshots\.json|recording\.jsonl)$/;

export interface HidingRule {
  readonly isHidden: (path: string) => boolean;
  /** The files and folders that were named. */
  readonly hiddenPaths: readonly string[];
}

/**
 * Hides these files and folders, whether they are there yet or not, everything named `.cadre`, and tests. Of a folder that
 * holds the whole workspace, which can only be a store, the parts of a store are hidden.
 */
export async function hiddenFiles(root: string, paths: readonly string[]): Promise<HidingRule> {
  const found = await Promise.all(paths.flatMap((path) => [placeOf(resolve(path)), realpath(path).catch(() => path)]));
  const holdsAll = (path: string): boolean => holds(comparable(path), comparable(root));
  const hiddenPaths = [...new Set(found.flatMap((path) => (holdsAll(path) ? partsOf(path) : [path])))];
  const hidden = hiddenPaths.filter((path) => !holdsAll(path)).map(comparable);
  const isHidden = (path: string): boolean => {
    const asked = comparable(path);
    if (OF_TESTS.test(asked) || hidden.some((one) => holds(one, asked))) return true;
    return comparable(relative(root, path)).split(sep).includes(STORE_FOLDER);
  };
  return { isHidden, hiddenPaths };
}

const partsOf = (store: string): readonly string[] => [...STORE_PARTS].map((part) => join(store, part));

/** The entries of a folder that are not part of a store. */
export function besidesStore<Entry extends { readonly name: string; isDirectory(): boolean }>(
  entries: readonly Entry[],
): readonly Entry[] {
  const marks = entries.filter((entry) => STORE_MARKS.includes(comparable(entry.name)) && entry.isDirectory());
  return marks.length < STORE_MARKS.length ? entries : entries.filter(({ name }) => !STORE_PARTS.has(comparable(name)));
}

/** True if a path without links leads into some store below the root. */
export async function isInStore(root: string, path: string): Promise<boolean> {
  let folder = root;
  for (const name of relative(root, path).split(sep)) {
    if (STORE_PARTS.has(comparable(name)) && (await isStore(folder))) return true;
    folder = join(folder, name);
  }
  return false;
}

async function isStore(folder: string): Promise<boolean> {
  const marks = await Promise.all(STORE_MARKS.map((mark) => lstat(join(folder, mark)).catch(() => undefined)));
  return marks.every((stats) => stats?.isDirectory() === true);
}

const holds = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

/** Ignores case, as some file systems do. */
const comparable = (path: string): string => path.toLowerCase();

/** The path with all links resolved but for its last part, as far as its folders are there. */
async function placeOf(path: string): Promise<string> {
  const folder = dirname(path);
  if (folder === path) return path;
  const real = await realpath(folder).catch(() => placeOf(folder));
  return join(real, basename(path));
}
