// The file that a lease appends to. It stays open, because opening a file costs more than writing to it. A process with
// very many live runs would use up the files that it may have open, and could not reach a model any more: from a
// certain number on, a journal is opened for each append.
// FILE-1. It is opened again by its name, where a process that took the run over may have put a copy (TAKEUP-1). So we open
//         it and then look whether we were fenced: if not, what we have is the journal, as in TAKEUP-3.

import { closeSync, fdatasync, readFileSync } from 'node:fs';
import { openOwn } from './disk.ts';
import type { RunFolder } from './folder.ts';
import type { Lock } from './lock.ts';

/** Thrown instead of using a file that is no longer ours (FILE-1). */
export class FencedOut extends Error {}

export interface JournalFile {
  /** Throws as node:fs does, and `FencedOut`. */
  use<Value>(step: (fd: number) => Value): Value;
  /** Settles when what was written before survives a power loss. */
  sync(): Promise<void>;
  close(): void;
}

/** Journals that this process keeps open. */
let open = 0;

/** `fd` is open for appending, and belongs to what this returns. */
export function journalFile(fd: number, { events }: RunFolder, lock: Lock): JournalFile {
  if (open < mostOpen()) return keptOpen(fd);
  closeSync(fd);
  const opened = (): number => {
    const again = openOwn(events, 'append');
    if (lock.isHeld()) return again; // FILE-1
    closeSync(again);
    throw new FencedOut();
  };
  return {
    use(step) {
      const again = opened();
      try {
        return step(again);
      } finally {
        closeSync(again);
      }
    },
    async sync() {
      const again = opened();
      try {
        await synced(again);
      } finally {
        closeSync(again);
      }
    },
    close: () => {},
  };
}

function keptOpen(fd: number): JournalFile {
  open++;
  return {
    use: (step) => step(fd),
    sync: () => synced(fd),
    close() {
      open--;
      closeSync(fd);
    },
  };
}

const synced = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => fdatasync(fd, (error) => (error === null ? resolve() : reject(error))));

/** Every process may have this many. */
const FEW = 64;
/** The limit on systems that do not say how many files a process may have open. */
const USUAL = 1000;
let most: number | undefined;

/** Half of the files that this process may have open: the rest is for sockets, tools and what is read. */
function mostOpen(): number {
  if (open < FEW) return FEW;
  most ??= Math.max(FEW, Math.floor((allowedFiles() ?? 2 * USUAL) / 2));
  return most;
}

function allowedFiles(): number | undefined {
  try {
    const allowed = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
    return Number.isFinite(allowed) ? allowed : undefined;
  } catch {
    return undefined; // not Linux
  }
}
