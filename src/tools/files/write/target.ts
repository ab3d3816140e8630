// The target of a change: a path of the workspace that need not exist yet, without links in its folders.
// TARGET-1. The folders that exist are resolved with all their links, and lie inside the workspace.
// TARGET-2. A link in the last place is followed where a file is written, and refused where it is deleted or moved.

import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { errorCode, isInside } from '../../../base/disk/paths.ts';
import { fail } from '../../../kernel/fault.ts';
import { pathIn } from '../workspace.ts';
import type { WriteRules } from './rules.ts';

export interface Target {
  /** Absolute. */
  readonly real: string;
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  /** The deepest folder above it that exists: absolute, without links. */
  readonly folder: string;
  /** The folders below that one which have to be made. */
  readonly missing: readonly string[];
  readonly name: string;
}

export type LastLink = 'followed' | 'refused';

const maxPathLength = 4096;
const maxNameBytes = 255;

/** Throws a message for the model if the path may not be changed. `given` is the workspace as it was configured. */
export async function targetAt(path: string, given: string, rules: WriteRules, link: LastLink): Promise<Target> {
  const { root } = rules.view;
  if (path === '' || path.length > maxPathLength || path.includes('\0'))
    fail('tool/failed', 'That is not a usable path.');
  const absolute = resolve(root, isAbsolute(path) && isInside(given, path) ? relative(given, path) : path);
  if (!isInside(root, absolute))
    fail('tool/failed', `"${path}" is outside the workspace. Paths are relative to it, like "src/main.ts".`);
  if (absolute === root || /[\\/]$/.test(path)) fail('tool/failed', `"${path}" is a folder. Give the path of a file.`);
  await refuse(pathIn(root, absolute), rules);
  const target = await resolved(absolute, path, root, link);
  if (Buffer.byteLength(target.name) > maxNameBytes) fail('tool/failed', 'That path is too long.');
  await refuse(target.path, rules);
  return target;
}

async function refuse(path: string, rules: WriteRules): Promise<void> {
  const refusal = await rules.refusal(path);
  if (refusal !== undefined) fail('tool/failed', refusal);
}

/** TARGET-1. */
async function resolved(absolute: string, path: string, root: string, link: LastLink): Promise<Target> {
  const missing: string[] = [];
  for (let folder = dirname(absolute); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch((thrown: unknown) => isAbsent(thrown, path));
    if (real === undefined) {
      missing.unshift(basename(folder));
      continue;
    }
    if (!isInside(root, real))
      return fail('tool/failed', `"${path}" leads out of the workspace by a link, so it is not changed.`);
    const stats = await lstat(real);
    if (!stats.isDirectory()) fail('tool/failed', `"${path}" cannot be there: "${pathIn(root, real)}" is a file.`);
    const name = basename(absolute);
    const place = join(real, ...missing, name);
    const last = missing.length > 0 ? undefined : await lstat(place).catch((thrown: unknown) => isAbsent(thrown, path));
    if (last?.isSymbolicLink() === true) return throughLink(place, path, root, link);
    return { real: place, path: pathIn(root, place), folder: real, missing, name };
  }
}

/** TARGET-2. */
async function throughLink(place: string, path: string, root: string, link: LastLink): Promise<Target> {
  if (link === 'refused')
    return fail('tool/failed', `"${path}" is a link. Give the path of the file that it leads to.`);
  const real = await realpath(place).catch((thrown: unknown) => isAbsent(thrown, path));
  if (real === undefined) return fail('tool/failed', `"${path}" is a link that leads nowhere.`);
  if (!isInside(root, real))
    return fail('tool/failed', `"${path}" is a link that leads out of the workspace, so it is not changed.`);
  return { real, path: pathIn(root, real), folder: dirname(real), missing: [], name: basename(real) };
}

/** Nothing is there. Any other trouble is told. */
function isAbsent(thrown: unknown, path: string): undefined {
  switch (errorCode(thrown)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return undefined;
    case 'ELOOP':
      return fail('tool/failed', `"${path}" is a link that leads to itself.`);
    case 'EACCES':
    case 'EPERM':
      return fail('tool/failed', `"${path}" may not be used by this process.`);
    case 'ENAMETOOLONG':
      return fail('tool/failed', 'That path is too long.');
    default:
      throw thrown;
  }
}
