// Who may write a run. A new run is held by a place in its process's file (writers.ts), which costs one write; a run
// that exists is taken up with a lock file in its folder (lock.ts). Either is void once its process is gone.
// C1. A journal is created exclusively, by one who holds the run already. Of all who find none, one makes it.
// C2. Whoever made it held its place before the journal was there. So who has seen a journal and then looks at the
//     places sees its maker, until that one gives it back or dies; and nobody gets a place for it again.
// C3. Whoever takes up a run takes the lock first, then looks whether there is a journal, then at the places. Two who
//     take it up meet at the lock (L1, L2). One who takes it up and its maker meet at the place, if the journal was
//     there (C2), and else at its creation (C1).
// C4. A crash leaves nothing that blocks: an empty folder, a place or a lock of a dead process, a journal without an
//     event are all taken up like any run that exists.

import { existsSync } from 'node:fs';
import { fail } from '../../kernel/fault.ts';
import type { RunId } from '../event.ts';
import { writing } from './disk.ts';
import { makeFolder, type RunFolder, removeEmpty } from './folder.ts';
import type { Holder } from './holder.ts';
import { isLock, type Lock, lockHolder, takeLock } from './lock.ts';
import type { Writers } from './writers.ts';

/** The right to write a run, before its journal is opened. */
export interface Claim {
  /** `new`: the folder is ours and empty. `missing`: the folder was there, without a journal. */
  readonly journal: 'new' | 'missing' | 'found';
  giveBack(): void;
}

export interface Claims {
  /** Claims a new run, or one whose folder is there. Throws `run/locked` where somebody holds it. */
  make(run: RunId, folder: RunFolder): Claim;
  /** Claims a run that exists. Throws `run/locked` where somebody holds it. */
  takeUp(run: RunId, folder: RunFolder): Claim;
  /** Who is at work on a run now. */
  holderOf(run: RunId, folder: RunFolder): Holder | undefined;
  /** The runs that are held by a place. */
  held(): ReadonlyMap<RunId, Holder>;
}

export function claimsOf(writers: Writers): Claims {
  const takeUp = (run: RunId, folder: RunFolder): Claim => {
    const lock = lockOrFail(run, folder); // C3
    try {
      const journal = existsSync(folder.events) ? 'found' : 'missing';
      const maker = writers.held().get(run);
      if (maker !== undefined) refuse(run, maker);
      return { journal, giveBack: () => lock.release() };
    } catch (thrown) {
      lock.release();
      throw thrown;
    }
  };

  return {
    make(run, folder) {
      if (!writing(folder.path, () => makeFolder(folder.path))) return takeUp(run, folder);
      try {
        const { giveBack } = writing(folder.path, () => writers.hold(run)); // C2
        return { journal: 'new', giveBack };
      } catch (thrown) {
        removeEmpty(folder.path);
        throw thrown;
      }
    },
    takeUp,
    holderOf: (run, folder) => lockHolder(folder.lock) ?? writers.held().get(run),
    held: () => writers.held(),
  };
}

function lockOrFail(run: RunId, folder: RunFolder): Lock {
  const taken = writing(folder.lock, () => takeLock(folder.lock));
  return isLock(taken) ? taken : refuse(run, taken);
}

function refuse(run: RunId, { pid }: Holder): never {
  const who = pid === process.pid ? `this process (${pid})` : `process ${pid}`;
  fail('run/locked', `Run ${run} is being written by ${who}. Wait for it to end, or cancel it there.`, { pid });
}
