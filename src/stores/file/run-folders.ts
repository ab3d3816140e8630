// The folders of a store's runs, and their locks. Who writes in one has its lock (S1).

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '../../journal/event.ts';
import { checkRunId, unknownRun } from '../../journal/run-names.ts';
import { codeOf, refuseLink, writeStep } from './disk.ts';
import { clearDrafts, clearFolder, makeFolder, type RunFolder, removeEmpty, runFolder } from './folder.ts';
import { isLock, type Lock, takeLock } from './lock.ts';
import { refuse } from './refusals.ts';

export class RunFolders {
  readonly path: string;
  readonly #root: string;
  readonly #ids: () => readonly RunId[];

  /** `ids` are those of all runs, to name the nearest one to an unknown id. */
  constructor(root: string, ids: () => readonly RunId[]) {
    this.path = join(root, 'runs');
    this.#root = root;
    this.#ids = ids;
  }

  of(run: RunId): RunFolder {
    return runFolder(this.path, run);
  }

  has(run: string): boolean {
    const folder = this.of(checkRunId(run));
    refuseLink(folder.path);
    refuseLink(folder.events);
    return existsSync(folder.events);
  }

  /** Throws `run/unknown`. */
  known(run: string): RunFolder {
    return this.has(run) ? this.of(run) : unknownRun(run, this.#ids());
  }

  /** Locks a run that exists. A run that is removed meanwhile is unknown. */
  lockKnown(run: RunId): Lock {
    const folder = this.known(run);
    try {
      return writeStep(folder.lock, () => this.#lockOrRefuse(run, folder));
    } catch (thrown) {
      this.known(run);
      throw thrown;
    }
  }

  /** Locks a new run, or the rest of one that never got its first event. */
  lockNew(run: RunId): Lock {
    const folder = this.of(run);
    return writeStep(folder.path, () => {
      for (;;) {
        const isNew = makeFolder(folder.path);
        if (!isNew) refuseLink(folder.path);
        try {
          const lock = this.#lockOrRefuse(run, folder, isNew);
          if (!isNew) clearDrafts(folder);
          return lock;
        } catch (thrown) {
          if (isNew) removeEmpty(folder.path);
          if (codeOf(thrown) !== 'ENOENT') throw thrown; // else another process gave the run back, and removed the empty folder
        }
      }
    });
  }

  /** Takes the lock from its holder, which can no longer write then. Throws if another process does so at this moment. */
  lockByForce(run: RunId): Lock {
    const folder = this.known(run);
    const lock = writeStep(folder.lock, () => takeLock(this.#root, run, folder, { force: true }));
    return isLock(lock) ? lock : refuse(run, lock);
  }

  /** Removes the folder of a process that died before the first event of its run. */
  clearUnbegun(run: RunId, before: number): void {
    const folder = this.of(run);
    const isBegun = (): boolean => (statSync(folder.events, { throwIfNoEntry: false })?.size ?? 0) > 0;
    const changedAt = statSync(folder.path, { throwIfNoEntry: false })?.mtimeMs;
    if (isBegun() || changedAt === undefined || changedAt >= before) return;
    const lock = writeStep(folder.lock, () => takeLock(this.#root, run, folder));
    if (!isLock(lock)) return;
    if (isBegun()) lock.release();
    else writeStep(folder.path, () => clearFolder(folder, lock.release));
  }

  #lockOrRefuse(run: RunId, folder: RunFolder, isNew = false): Lock {
    const lock = takeLock(this.#root, run, folder, { isNew });
    return isLock(lock) ? lock : refuse(run, lock);
  }
}
