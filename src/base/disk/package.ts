// Finds an installed npm package, and the file that an `import` of it would load. Runs none of its code.
// The search goes upward from a folder, as Node's does, but does not use a package that belongs to another user.

import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRegularText } from './regular.ts';

export interface InstalledPackage {
  /** The absolute path of the package's folder. */
  readonly folder: string;
  readonly version: string;
  /** The absolute path of what `import` loads. Undefined where the package has nothing to import. */
  readonly entry?: string;
}

const MAX_PACKAGE_JSON_BYTES = 1_048_576;
const HERE = dirname(fileURLToPath(import.meta.url));

/** Looks from the folder upward, then from Cadre's own files upward. Throws UnusableFile for one of another user. */
export function findPackage(name: string, from: string): InstalledPackage | undefined {
  return upwardFrom(from, name) ?? upwardFrom(HERE, name);
}

function upwardFrom(start: string, name: string): InstalledPackage | undefined {
  for (let at = start; ; at = dirname(at)) {
    const found = packageAt(join(at, 'node_modules', name), start);
    if (found !== undefined || dirname(at) === at) return found;
  }
}

function packageAt(folder: string, start: string): InstalledPackage | undefined {
  let text: string;
  try {
    text = readRegularText(join(folder, 'package.json'), { maxBytes: MAX_PACKAGE_JSON_BYTES, ownedLike: start });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
  const said = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const entry = entryOf(said);
  const path = entry === undefined ? undefined : join(folder, entry);
  return {
    folder,
    version: typeof said['version'] === 'string' ? said['version'] : '',
    ...(path !== undefined && path.startsWith(folder + sep) && { entry: path }),
  };
}

function entryOf({ exports, main, module }: Readonly<Record<string, unknown>>): string | undefined {
  if (exports !== undefined && exports !== null) return chosen(mainExport(exports));
  if (typeof main === 'string') return main;
  return typeof module === 'string' ? module : 'index.js';
}

/** The part of `exports` that stands for the package itself. */
function mainExport(exports: unknown): unknown {
  const isMap = typeof exports === 'object' && exports !== null && !Array.isArray(exports);
  return isMap && '.' in exports ? exports['.'] : exports;
}

const CONDITIONS: ReadonlySet<string> = new Set(['node', 'import', 'module-sync', 'default']);

/** The first target whose conditions hold for an import in Node. */
function chosen(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) return target.map(chosen).find((one) => one !== undefined);
  if (typeof target !== 'object' || target === null) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    const found = CONDITIONS.has(condition) ? chosen(inner) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
