// The real paths behind the arguments of a file tool, for the rules of its agent. Nothing is opened here, and a path need
// not exist: of one that does not, the folders that do exist are followed.

import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { errorCode, isInside, wayDown } from '../../base/disk/paths.ts';
import type { ComparedCall } from '../../rules/compared-call.ts';

interface NamedFolder {
  /** Absolute, without links. */
  readonly root: string;
  /** The folder as it was configured. */
  readonly given: string;
}

/** A call of a file tool, as rules see it: `path` is every path of it. */
export async function comparedPaths(input: unknown, folder: NamedFolder): Promise<ComparedCall> {
  const { path = '.', to } = input as {
    readonly path?: string;
    readonly to?: string;
  };
  const [from, target] = await Promise.all([realPathIn(folder, path), to === undefined ? [] : realPathIn(folder, to)]);
  const ends = to === undefined ? { path: [from] } : { path: [from, target], to: [target] };
  return {
    kind: 'arguments',
    arguments: input,
    paths: ends as Readonly<Record<string, readonly (string | undefined)[]>>,
    foldsNames: await foldsNames(folder.root),
  };
}

/** Relative to the workspace, with forward slashes. Undefined if it does not lie there, or cannot be found out. */
async function realPathIn({ root, given }: NamedFolder, path: string): Promise<string | undefined> {
  if (path.includes('\0')) return undefined;
  const absolute = resolve(root, isAbsolute(path) && isInside(given, path) ? relative(given, path) : path);
  if (!isInside(root, absolute)) return undefined;
  const missing: string[] = [];
  for (let place = absolute; isInside(root, place); place = dirname(place)) {
    const real = await realpath(place).catch((thrown: unknown) => ({ code: errorCode(thrown) }));
    if (typeof real === 'string') {
      const whole = join(real, ...missing);
      return isInside(root, real) ? wayDown(root, whole) || '.' : undefined;
    }
    if (real.code !== 'ENOENT' && real.code !== 'ENOTDIR') return undefined;
    missing.unshift(basename(place));
  }
  return undefined;
}

const known = new Map<string, Promise<boolean>>();

/** True if the disk of the folder takes names in upper and lower case for the same. */
function foldsNames(root: string): Promise<boolean> {
  const found = known.get(root) ?? sameInOtherCase(root);
  known.set(root, found);
  return found;
}

async function sameInOtherCase(root: string): Promise<boolean> {
  const name = basename(root);
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  if (other === name) return process.platform === 'darwin' || process.platform === 'win32';
  const [one, two] = await Promise.all([identity(root), identity(join(dirname(root), other))]);
  return one !== undefined && one === two;
}

const identity = (path: string): Promise<string | undefined> =>
  stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => undefined,
  );
