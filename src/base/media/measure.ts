// The size of a picture in pixels, or the pages of a document.

import { inThread, ThreadTrouble } from '../disk/in-thread.ts';
import type { MediaType } from './file-type.ts';

export type FileMeasures =
  | { readonly width: number; readonly height: number }
  | { readonly pages: number }
  /** The file cannot be read. */
  | { readonly trouble: string };

const DEADLINE_MS = 10_000;
const MEMORY_MB = 256;

/** Never rejects for what is in the file. Rejects where the package is not built. */
export async function measure(
  bytes: Uint8Array,
  type: MediaType,
  { deadlineMs = DEADLINE_MS, signal }: { readonly deadlineMs?: number; readonly signal?: AbortSignal } = {},
): Promise<FileMeasures> {
  const own = Uint8Array.from(bytes); // a thread gets all of the memory that a part lies in
  try {
    return await inThread<FileMeasures>({
      file: 'base/measure-file.js',
      data: { bytes: own, type },
      transfer: [own.buffer],
      deadlineMs,
      memoryMb: MEMORY_MB,
      ...(signal && { signal }),
    });
  } catch (thrown) {
    if (!(thrown instanceof ThreadTrouble) || thrown.kind === 'not-built') throw thrown;
    const why = thrown.kind === 'late' ? `it could not be read within ${deadlineMs / 1000} s` : thrown.message;
    return { trouble: why };
  }
}
