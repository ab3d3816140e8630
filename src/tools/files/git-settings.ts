// The settings of git that concern a workspace: the folder of its hooks, and the further files that are read as
// settings. git itself is asked, because settings include others. It runs nothing for that.

import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findCommand, pathOutside } from '../../base/disk/find-command.ts';
import { isInside, wayDown } from '../../base/disk/paths.ts';

const PATIENCE_MS = 5000;
const MOST_BYTES = 4 * 1024 * 1024;

/** `root` is absolute, without links. */
export async function gitSettings(root: string): Promise<{
  /** Folders of hooks in the workspace, relative to it. */
  readonly hooks: readonly string[];
  /** Files of settings in the workspace, relative to it. */
  readonly files: readonly string[];
}> {
  const program = findCommand('git', pathOutside(root, process.env['PATH']));
  if (program === undefined || !hasRepository(root)) return { hooks: [], files: [] };
  const text = await settingsOf(program, root);
  const files = new Set<string>();
  const hooks = new Set<string>();
  const entries = text.split('\0');
  for (let at = 0; at + 1 < entries.length; at += 2) {
    const [origin = '', entry = ''] = [entries[at], entries[at + 1]];
    const file = origin.startsWith('file:') ? inside(root, resolve(root, origin.slice('file:'.length))) : undefined;
    if (file !== undefined && !file.split('/').includes('.git')) files.add(file);
    const [name, ...value] = entry.split('\n');
    if (name === 'core.hookspath')
      for (const one of hookFolders(value.join('\n'))) {
        const folder = inside(root, resolve(root, one));
        if (folder !== undefined) hooks.add(folder);
      }
  }
  return { hooks: [...hooks], files: [...files] };
}

/** husky puts `.husky/_` there, whose programs run those beside it. */
const hookFolders = (path: string): readonly string[] =>
  /(?:^|\/)\.husky\/_\/?$/.test(path) ? [path, dirname(path)] : [path];

function hasRepository(root: string): boolean {
  try {
    lstatSync(join(root, '.git'));
    return true;
  } catch {
    const above = dirname(root);
    return above !== root && hasRepository(above);
  }
}

const inside = (root: string, path: string): string | undefined =>
  path !== root && isInside(root, path) ? wayDown(root, path).toLowerCase() : undefined;

/** Settings that cannot be read are none: git would not run with them either. */
function settingsOf(program: string, root: string): Promise<string> {
  const args = ['-C', root, 'config', '--list', '--show-origin', '--includes', '-z'];
  const options = { timeout: PATIENCE_MS, maxBuffer: MOST_BYTES, encoding: 'utf8' } as const;
  return new Promise((resolve) =>
    process
      .getBuiltinModule('node:child_process')
      .execFile(program, args, options, (error, stdout) => resolve(error === null ? stdout : '')),
  );
}
