// Placeholders of names that are missing (GUARD-2), while commands in a sandbox run. Several commands, of this process and
// of others, may need one at the same time: the last one removes it. Who needs it is seen in the mounts of the system.

import type { Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, readlink, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { quotedWords } from '../../text/shell-words.ts';
import type { Guards } from './guards.ts';

const MARK_FILE = 0o444;
const MARK_FOLDER = 0o555;
const WRITABLE = 0o222;

/** How many commands of this process need a placeholder. */
const needed = new Map<string, number>();

/** Makes the placeholders that are not there. Returns those that `removePlaceholders` is to be called with. */
export async function makePlaceholders(missing: Guards['missing']): Promise<readonly string[]> {
  const made: string[] = [];
  for (const { path, kind } of missing) {
    const isMade = await (kind === 'folder' ? mkdir(path, MARK_FOLDER) : touch(path)).then(
      () => true,
      async (thrown: unknown) => {
        if (codeOf(thrown) !== 'EEXIST') throw thrown;
        return isPlaceholder(path);
      },
    );
    if (!isMade) continue; // somebody made it at this moment: it is mounted as it is
    needed.set(path, (needed.get(path) ?? 0) + 1);
    made.push(path);
  }
  return made;
}

const touch = async (path: string): Promise<void> => (await open(path, 'wx', MARK_FILE)).close();

export async function removePlaceholders(paths: readonly string[]): Promise<void> {
  const free = paths.filter((path) => {
    const left = (needed.get(path) ?? 1) - 1;
    if (left > 0) needed.set(path, left);
    else needed.delete(path);
    return left <= 0;
  });
  if (free.length === 0) return;
  const mounted = await mountsElsewhere();
  for (const path of free) if (!mounted.has(path) && (await isPlaceholder(path))) await remove(path);
}

async function remove(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return;
  await (stats.isDirectory() ? rmdir(path) : unlink(path)).catch((thrown: unknown) => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(String(codeOf(thrown)))) throw thrown; // somebody uses it now
  });
}

async function isPlaceholder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined || !hasMarks(stats)) return false;
  return stats.isDirectory() ? (await readdir(path)).length === 0 : stats.isFile() && stats.size === 0;
}

const hasMarks = ({ mode }: Stats): boolean => (mode & WRITABLE) === 0;

/** Where other sandboxes have mounts, with the escapes of the system undone. Processes of other users are not seen. */
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
export async function renameAside(watched: Guards['watched']): Promise<readonly string[]> {
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
export function afterKill(placeholders: readonly string[], watched: Guards['watched']): string {
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

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined);
