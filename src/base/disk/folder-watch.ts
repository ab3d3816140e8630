// Tells when something in a folder may have changed. The system tells us where it can; elsewhere we poll. It does not
// tell us of a change that another machine made to a shared file system, so we poll those.
// WATCH-1. Telling too often is harmless, because the listener looks for itself. A watch that breaks becomes polling.

import { type FSWatcher, statfsSync, watch } from 'node:fs';
import { basename } from 'node:path';

export interface FolderWatch {
  /** Keeps the process alive, or not. At first it does not. */
  ref(): void;
  unref(): void;
  close(): void;
  /** The system does not tell us: what changed is known only after some time. */
  readonly isPolled: boolean;
}

/** The milliseconds between two polls. */
const LOOK_MS = 250;

/** `told` gets the name of what changed, if it is known. */
export function watchFolder(path: string, told: (name: string | undefined) => void): FolderWatch {
  let isRef = false;
  let isClosed = false;
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;

  const lookInstead = (): void => {
    watcher?.close();
    watcher = undefined;
    if (isClosed) return;
    timer ??= setInterval(() => told(undefined), LOOK_MS);
    if (!isRef) timer.unref();
  };
  const begin = (): FSWatcher => {
    const begun = watch(path, { persistent: false }, (_, name) => {
      if (name === basename(path)) lookInstead(); // the folder itself is gone
      told(name ?? undefined);
    });
    return begun.on('error', () => {
      lookInstead();
      told(undefined);
    });
  };
  try {
    if (isShared(path)) lookInstead();
    else watcher = begin();
  } catch {
    lookInstead(); // no folder, or too many watches
  }
  return {
    ref() {
      isRef = true;
      watcher?.ref();
      timer?.ref();
    },
    unref() {
      isRef = false;
      watcher?.unref();
      timer?.unref();
    },
    get isPolled() {
      return watcher === undefined;
    },
    close() {
      isClosed = true;
      watcher?.close();
      clearInterval(timer);
    },
  };
}

/** File systems that may be written by another machine, by the number that Linux gives them. */
const SHARED: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x01021997, // 9p
  0x65735546, // FUSE, and with it virtiofs and sshfs
  0x00c36400, // Ceph
  0x5346414f, // AFS
  0x47504653, // GPFS
  0x0bd00bd0, // Lustre
  0x01161970, // GFS2
  0x7461636f, // OCFS2
  0x786f4256, // VirtualBox
]);

const isShared = (path: string): boolean => SHARED.has(statfsSync(path).type >>> 0);
