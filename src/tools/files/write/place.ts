// The only code that changes files of a workspace. Everything is done in an open folder that was found to lie inside, so
// that a folder swapped for a link in between changes nothing outside.
// PLACE-1. A file gets its new bytes whole: they are written to a draft beside it, which then takes its name.
// PLACE-2. A file is looked at again just before it changes: what is not as it was when the change was decided stays.
// PLACE-3. A file that was not there is linked to its name, and not renamed to it: what another process made meanwhile
//     stays.

import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { access, type FileHandle, link, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../../base/disk/paths.ts';
import { size } from '../../../base/text/words.ts';
import { fail } from '../../../kernel/fault.ts';
import { inFolder, liesAt } from '../handle.ts';
import { closedNameOf } from '../other-names.ts';
import type { WorkspaceView } from '../walk.ts';
import type { Target } from './target.ts';

/** A regular file and what it holds. */
export interface PresentFile {
  readonly bytes: Uint8Array;
  readonly digest: string;
  /** Its permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** The same for two names of one file. */
  readonly identity: string;
}

/** Larger files are neither changed nor undone. */
export const maxFileBytes = 10 * 1024 * 1024;
/** The bits without those that give a program the rights of its owner: a changed program does not keep them. */
const permissionBits = 0o777;
/** The mode of a file that is made. The umask of the process applies. */
export const newFileMode = 0o666;

const lookFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const draftFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Looks at the file at a target. Undefined if there is nothing. Throws a message for the model if it is not a usable
 * file.
 */
export async function look(view: WorkspaceView, target: Target): Promise<PresentFile | undefined> {
  if (target.missing.length > 0) return undefined;
  return inPlace(target.folder, target.path, (way) => lookIn(view, way, target));
}

async function lookIn(
  view: WorkspaceView,
  way: string,
  { real, path, name }: Target,
): Promise<PresentFile | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(join(way, name), lookFlags);
  } catch (thrown) {
    return errorCode(thrown) === 'ENOENT' ? undefined : explain(thrown, path);
  }
  try {
    const stats = await handle.stat({ bigint: true });
    if (stats.isDirectory()) fail('tool/failed', `"${path}" is a folder.`);
    if (!stats.isFile()) fail('tool/failed', `"${path}" is not a regular file.`);
    if (!(await liesAt(handle, stats, real))) changedMeanwhile(path);
    const closed = await closedNameOf(view, real, stats);
    if (closed !== undefined)
      fail('tool/failed', `"${path}" is not changed: it is the same file as another one that may not be changed.`);
    return await contentsOf(handle, stats, path);
  } finally {
    await handle.close();
  }
}

async function contentsOf(handle: FileHandle, stats: BigIntStats, path: string): Promise<PresentFile> {
  const bytes = stats.size > BigInt(maxFileBytes) ? undefined : await handle.readFile();
  if (bytes === undefined || bytes.byteLength > maxFileBytes)
    return fail('tool/failed', `"${path}" is larger than ${size(maxFileBytes)}, which is the limit for changes.`);
  const mode = Number(stats.mode) & permissionBits;
  const { uid, gid, dev, ino } = stats;
  return { bytes, digest: sha256Of(bytes), mode, uid: Number(uid), gid: Number(gid), identity: `${dev}:${ino}` };
}

interface NewContents {
  readonly bytes: Uint8Array;
  /** Its permission bits. Default: those of the file that it replaces, else those of any new file. */
  readonly exactMode?: number;
  readonly draft: string;
}

/** Puts the bytes in the place of `before` (PLACE-1, PLACE-2), or makes the file if there was none (PLACE-3). */
export async function put(view: WorkspaceView, target: Target, now: NewContents, before?: PresentFile): Promise<void> {
  await makeFolders(target);
  await inPlace(dirname(target.real), target.path, async (way) => {
    const [draft, name] = [join(way, now.draft), join(way, target.name)];
    if (before !== undefined)
      await access(name, constants.W_OK).catch((thrown: unknown) => explain(thrown, target.path));
    await unlink(draft).catch(unlessAbsent);
    try {
      await writeDraft(draft, target.path, now, before);
      await sameOrFail(view, way, target, before);
      if (before === undefined) await linkTo(draft, name, target.path);
      else await rename(draft, name).catch((thrown: unknown) => explain(thrown, target.path));
    } finally {
      await unlink(draft).catch(unlessAbsent);
    }
  });
}

/** The name of the draft that a call writes. A call that is made again finds what it left. */
export const draftOf = (callKey: string): string =>
  `.cadre-${createHash('sha256').update(callKey).digest('hex').slice(0, 16)}`;

/** Removes the draft that a call left beside its file when its process died. */
export async function removeDraft({ folder, missing, path }: Target, draft: string): Promise<void> {
  if (missing.length === 0) await inPlace(folder, path, (way) => unlink(join(way, draft)).catch(unlessAbsent));
}

async function writeDraft(
  draft: string,
  path: string,
  now: NewContents,
  before: PresentFile | undefined,
): Promise<void> {
  const handle = await open(draft, draftFlags, before?.mode ?? now.exactMode ?? newFileMode).catch((thrown: unknown) =>
    explain(thrown, path),
  );
  try {
    await handle.writeFile(now.bytes);
    if (before !== undefined) await takeRights(handle, before, path);
    if (now.exactMode !== undefined) await handle.chmod(now.exactMode);
    await handle.sync();
  } catch (thrown) {
    explain(thrown, path);
  } finally {
    await handle.close();
  }
}

/** The new file has the owner and the permissions of the old one. */
async function takeRights(handle: FileHandle, { mode, uid, gid }: PresentFile, path: string): Promise<void> {
  const own = await handle.stat();
  if (own.uid !== uid || own.gid !== gid) {
    await handle.chown(uid, gid).catch((thrown: unknown) => {
      if (errorCode(thrown) !== 'EPERM') throw thrown;
      fail('tool/failed', `"${path}" belongs to another user or group, so it is not changed.`);
    });
  }
  await handle.chmod(mode);
}

export async function remove(view: WorkspaceView, target: Target, before: PresentFile): Promise<void> {
  await inPlace(target.folder, target.path, async (way) => {
    await sameOrFail(view, way, target, before);
    await unlink(join(way, target.name)).catch((thrown: unknown) => explain(thrown, target.path));
  });
}

/** The file gets its second name first, and loses the first one then: a crash in between loses nothing. */
export async function move(
  view: WorkspaceView,
  {
    from,
    to,
    file,
    isThere,
  }: {
    readonly from: Target;
    readonly to: Target;
    /** The file, as it was looked at. */
    readonly file: PresentFile;
    /** It has the second name already, because of a crash, or because the two names differ only in their capitals. */
    readonly isThere: boolean;
  },
): Promise<void> {
  await makeFolders(to);
  await inPlace(from.folder, from.path, (fromWay) =>
    inPlace(dirname(to.real), to.path, async (toWay) => {
      await sameOrFail(view, fromWay, from, file);
      const [old, name] = [join(fromWay, from.name), join(toWay, to.name)];
      if (isThere && from.real.toLowerCase() === to.real.toLowerCase()) return rename(old, name);
      if (!isThere) await linkTo(old, name, to.path);
      await unlink(join(fromWay, from.name)).catch((thrown: unknown) => explain(thrown, from.path));
    }),
  );
}

/** Removes folders that were made for a file, as long as they are empty. The innermost comes last. */
export async function removeFolders(root: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) {
    try {
      await inFolder(dirname(join(root, folder)), (way) => rmdir(join(way, basename(folder))));
    } catch (thrown) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(String(errorCode(thrown)))) continue;
      throw thrown;
    }
  }
}

async function makeFolders({ folder, missing, path }: Target): Promise<void> {
  let at = folder;
  for (const name of missing) {
    await inPlace(at, path, (way) =>
      mkdir(join(way, name)).catch((thrown: unknown) =>
        errorCode(thrown) === 'EEXIST' ? undefined : explain(thrown, path),
      ),
    );
    at = join(at, name);
  }
}

/** PLACE-3. Some file systems have no links: there the name is looked at, and then taken. */
async function linkTo(draft: string, name: string, path: string): Promise<void> {
  try {
    await link(draft, name);
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST') return changedMeanwhile(path);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(String(errorCode(thrown)))) explain(thrown, path);
    const taken = await open(name, draftFlags, newFileMode).catch((other: unknown) =>
      errorCode(other) === 'EEXIST' ? changedMeanwhile(path) : explain(other, path),
    );
    await taken.close();
    await rename(draft, name);
  }
}

/** PLACE-2. */
async function sameOrFail(
  view: WorkspaceView,
  way: string,
  target: Target,
  before: PresentFile | undefined,
): Promise<void> {
  const now = await lookIn(view, way, target);
  if (now?.digest !== before?.digest) changedMeanwhile(target.path);
}

async function inPlace<Value>(folder: string, path: string, use: (way: string) => Promise<Value>): Promise<Value> {
  const moved = Symbol('the folder is not there any more');
  let used: Value | typeof moved = moved;
  await inFolder(folder, async (way) => {
    used = await use(way);
  }).catch((thrown: unknown) => explain(thrown, path));
  return used === moved ? changedMeanwhile(path) : used;
}

const changedMeanwhile = (path: string): never =>
  fail('tool/failed', `"${path}" was changed by someone else at this moment, so it was left as it is. Read it again.`);

async function unlessAbsent(thrown: unknown): Promise<void> {
  if (errorCode(thrown) !== 'ENOENT') throw thrown;
}

/** Turns an error of the file system into a message for the model. */
function explain(thrown: unknown, path: string): never {
  switch (errorCode(thrown)) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
      return changedMeanwhile(path);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return fail('tool/failed', `"${path}" may not be changed by this process.`);
    case 'EISDIR':
      return fail('tool/failed', `"${path}" is a folder.`);
    case 'ENOSPC':
    case 'EDQUOT':
      return fail('tool/failed', `There is no room on the disk for "${path}". It was left as it is.`);
    case 'ENAMETOOLONG':
      return fail('tool/failed', 'That path is too long.');
    case 'EXDEV':
      return fail('tool/failed', `"${path}" lies on another file system. Write it there, and delete it here.`);
    default:
      throw thrown;
  }
}
