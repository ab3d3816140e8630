// Placeholders of names that are missing (GUARD-2), while commands in a sandbox run. Several commands, of this process and
// of others, may need one at the same time: the last one removes it. Who needs it is seen in the mounts of the system.

import { existsSync, lstatSync, rmdirSync, type Stats, unlinkSync } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, readlink, rename, rm, symlink, utimes } from 'node:fs/promises';
import { errorCode } from '../../base/disk/paths.ts';
import { quotedWords } from '../../base/text/shell-words.ts';
import type { MissingName, WatchedName } from './guarded-names.ts';

/** When it was last changed, in seconds: nobody else made something then, and whoever puts something into it changes that. */
const MARK = 1;

/**
 * The number of looks, and the pause between them, at a placeholder that has a mount. Another process may need it for
 * long: it removes it.
 */
const LOOKS = 10;
const PAUSE_MS = 20;

/** The number of commands of this process that need a placeholder. */
const needed = new Map<string, number>();

/** Makes the placeholders that are not there. Returns those that `removePlaceholders` is to be called with. */
export async function makePlaceholders(missing: readonly MissingName[]): Promise<readonly string[]> {
  const made: string[] = [];
  for (const one of missing) if (await isMade(one)) made.push(one.path); // else it is mounted as it is
  return made;
}

/** False if there is something else. Counted first, so that no other command of this process takes it away meanwhile. */
async function isMade({ path, kind }: MissingName): Promise<boolean> {
  needed.set(path, (needed.get(path) ?? 0) + 1);
  try {
    await (kind === 'folder' ? mkdir(path) : touch(path));
    await utimes(path, MARK, MARK);
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST' && ((needed.get(path) ?? 0) > 1 || (await isPlaceholder(path)))) return true;
    uncount(path);
    if (errorCode(thrown) !== 'EEXIST') throw thrown;
    return existsSync(path) ? false : isMade({ path, kind }); // a command of another process took it away
  }
}

/** True if no command of this process needs it any more. */
function uncount(path: string): boolean {
  const left = (needed.get(path) ?? 1) - 1;
  if (left > 0) needed.set(path, left);
  else needed.delete(path);
  return left <= 0;
}

const touch = async (path: string): Promise<void> => (await open(path, 'wx')).close();

export async function removePlaceholders(paths: readonly string[]): Promise<void> {
  const free = paths.filter(uncount);
  if (free.length === 0) return;
  let left = free;
  for (let look = 0; look < LOOKS && left.length > 0; look++) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS)); // the system takes a sandbox apart after its end
    const mounted = await mountsElsewhere();
    for (const path of left) if (!mounted.has(path)) removeUnneeded(path);
    left = left.filter((path) => mounted.has(path) && !needed.has(path));
  }
}

/** In one step: between a look and an `await` another command may have begun to need it. */
function removeUnneeded(path: string): void {
  if (needed.has(path)) return;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !isEmptyMark(stats)) return;
  try {
    if (stats.isDirectory()) rmdirSync(path);
    else unlinkSync(path);
  } catch (thrown) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(String(errorCode(thrown)))) throw thrown; // somebody uses it now
  }
}

/** Also one of another command, or of a process that has ended. */
export async function isPlaceholder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined || !isEmptyMark(stats)) return false;
  return !stats.isDirectory() || (await readdir(path).catch(() => undefined))?.length === 0; // undefined: it is gone
}

/** A folder has to be looked into, too. */
const isEmptyMark = (stats: Stats): boolean =>
  stats.mtimeMs === MARK * 1000 && (stats.isDirectory() || (stats.isFile() && stats.size === 0));

/**
 * The paths at which other sandboxes have mounts, with the escapes of the system undone. Processes of other users are
 * not seen.
 */
async function mountsElsewhere(): Promise<ReadonlySet<string>> {
  const places = new Set<string>();
  const own = await readlink('/proc/self/ns/mnt').catch(() => '');
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const namespace = await readlink(`/proc/${name}/ns/mnt`).catch(() => own);
    if (namespace === own) continue;
    const text = await readFile(`/proc/${name}/mountinfo`, 'utf8').catch(() => ''); // it has ended
    for (const line of text.split('\n')) {
      const place = line.split(' ')[4];
      if (place !== undefined)
        places.add(
          place.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
        );
    }
  }
  return places;
}

/** GUARD-3. What a command made in the place of a watched name is set aside. Returns the paths. */
export async function renameAside(watched: readonly WatchedName[]): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { path, link } of watched) {
    const stats = await lstat(path).catch(() => undefined);
    const now = stats?.isSymbolicLink() === true ? await readlink(path) : undefined;
    if (link === undefined ? stats === undefined : now === link) continue;
    changed.push(path);
    if (stats !== undefined) {
      await rm(asideOf(path), { recursive: true, force: true });
      await rename(path, asideOf(path));
    }
    if (link !== undefined) await symlink(link, path);
  }
  return changed;
}

const asideOf = (path: string): string => `${path}.set-aside`;

/** The same as a script of a shell, for the guard of a process that was killed. */
export function afterKill(placeholders: readonly string[], watched: readonly WatchedName[]): string {
  const lines = [
    ...placeholders.map(
      (path) =>
        `if [ -d ${quotedWords([path])} ]; then rmdir ${quotedWords([path])}; elif [ ! -s ${quotedWords([path])} ]; then rm -f ${quotedWords([path])}; fi`,
    ),
    ...watched
      .filter(({ link }) => link === undefined)
      .map(
        ({ path }) => `[ ! -e ${quotedWords([path])} ] || mv -f ${quotedWords([path])} ${quotedWords([asideOf(path)])}`,
      ),
  ];
  return lines.join('\n');
}
