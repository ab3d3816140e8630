// Where a program is that is called by its name: the first folder of PATH that has it.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

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
