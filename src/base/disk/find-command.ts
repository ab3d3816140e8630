// Finds the program that a name calls: the first folder of PATH that has it.

import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';

/** Folders of PATH that are relative are left out: they are not where they seem to be. */
export function findCommand(name: string, path: string | undefined): string | undefined {
  const folders = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** The program that a command starts: a path, seen from `cwd`, or a name that is looked for. */
export function findProgram(
  command: string,
  { path, cwd = '.' }: { readonly path: string | undefined; readonly cwd: string | undefined },
): string | undefined {
  if (!command.includes('/')) return findCommand(command, path);
  const file = resolve(cwd, command);
  return isProgram(file) ? file : undefined;
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // not there, or not ours to run: another folder may have it
  }
}

/**
 * PATH without the folders that lie in this one, whatever links lead to them, or hold nothing yet: whoever writes in the
 * folder could put programs there.
 */
export function pathOutside(folder: string, path: string | undefined): string {
  const root = realOf(folder) ?? folder;
  const isOutside = (one: string): boolean => {
    const real = isAbsolute(one) ? realOf(one) : undefined;
    return real !== undefined && real !== root && !real.startsWith(root + sep);
  };
  return (path ?? '').split(delimiter).filter(isOutside).join(delimiter);
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // it is not there, or may not be looked at
  }
}
