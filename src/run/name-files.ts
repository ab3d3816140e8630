// The files that a run came with belong to it as soon as its first event is stored: they are no uploads any more.

import type { Journal } from '../journal/journal.ts';
import type { RunStore } from '../journal/store.ts';
import type { FileRef } from '../kernel/file-ref.ts';

/** The owner of what this machine's own programs put into a store: the command line and the library. */
export const OWN_UPLOADS = '';

export async function nameFiles(
  files: readonly FileRef[],
  journal: Pick<Journal, 'flush'>,
  { uploads }: Pick<RunStore, 'uploads'>,
): Promise<void> {
  await journal.flush();
  await forgetUploads(files, uploads);
}

export async function forgetUploads(files: readonly FileRef[], uploads: RunStore['uploads']): Promise<void> {
  for (const { digest } of files) await uploads.forget(OWN_UPLOADS, digest);
}
