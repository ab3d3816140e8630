// The changes of a run, with the diff of each file, from its record and the texts that the store kept. It looks at no
// file.

import { type DiffSide, unifiedDiff } from '../../base/diff/unified.ts';
import type { RunEvent } from '../../journal/event.ts';
import type { Blobs } from '../../journal/store.ts';
import type { FileState } from '../../kernel/change.ts';
import { type ChangedFile, changedFiles, changesOf, type RecordedChange } from '../../views/changes.ts';

export interface FileDiff extends ChangedFile {
  /** A unified diff, by lines. Secrets were taken out of both texts. */
  readonly diff: readonly string[];
}

export interface RunChanges {
  /** Every change, in order. */
  readonly changes: readonly RecordedChange[];
  /** The result for each file. Changes that a fork took over belong to the run that made them, and are not in it. */
  readonly files: readonly FileDiff[];
}

export async function runChanges(events: readonly RunEvent[], blobs: Pick<Blobs, 'get'>): Promise<RunChanges> {
  const changes = changesOf(events);
  const files: FileDiff[] = [];
  for (const file of changedFiles(changes.filter(({ takenOver }) => takenOver === undefined))) {
    const before = await sideOf(file.from ?? file.path, file.before, file.after, blobs);
    const after = await sideOf(file.path, file.after, file.before, blobs);
    files.push({ ...file, diff: unifiedDiff(before, after) });
  }
  return { changes, files };
}

/** A file that only moved is the same on both sides, so its text is not needed. */
async function sideOf(
  path: string,
  state: FileState | undefined,
  other: FileState | undefined,
  blobs: Pick<Blobs, 'get'>,
): Promise<DiffSide | undefined> {
  if (state === undefined) return undefined;
  if (state.digest === other?.digest) return { path, mode: state.mode, text: '' };
  const bytes = state.kept === undefined ? undefined : await blobs.get(state.kept);
  return { path, mode: state.mode, text: bytes && textOf(bytes) };
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
