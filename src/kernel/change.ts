// A change of one file in the workspace, as a tool call records it before it makes it. After a crash the digests decide
// whether it was made; an undo stands on them too.

/** A file as it is at one moment. */
export interface FileState {
  /** SHA-256 of its bytes. */
  readonly digest: string;
  readonly bytes: number;
  /** Its permission bits. */
  readonly mode: number;
  /**
   * The blob that holds its text. Another digest than its own: secrets were taken out of it. Absent: it was not kept,
   * because it stays as it is, or because its name or its bytes say that it may hold secrets.
   */
  readonly kept?: string;
}

export interface FileChange {
  readonly kind: 'write' | 'edit' | 'delete' | 'move';
  /** The workspace: absolute, without links. */
  readonly root: string;
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  /** The new path of a moved file. */
  readonly to?: string;
  /** Absent: there is no file. */
  readonly before?: FileState;
  /** Absent: there is no file afterwards. A moved file is the same afterwards. */
  readonly after?: FileState;
  /** The folders that are made for it, the outermost first. */
  readonly folders?: readonly string[];
  /**
   * A way to make the bytes before from those after, if a secret keeps them out of the store: `bytes` of them from `at`
   * on are replaced by those of the blob.
   */
  readonly back?: { readonly at: number; readonly bytes: number; readonly blob: string };
}

/** The verdict on a change that may have been made, after a look at the file. */
export type ChangeVerdict = 'made' | 'not-made' | 'unknown';

/** `found` is the digest of what lies at `path` now, and `foundTo` of what lies at `to`. */
export function judgeChange(
  { kind, before, after }: Pick<FileChange, 'kind' | 'before' | 'after'>,
  found: string | undefined,
  foundTo?: string,
): ChangeVerdict {
  if (kind === 'move') {
    if (found === undefined && foundTo === after?.digest) return 'made';
    return found === before?.digest && foundTo === undefined ? 'not-made' : 'unknown';
  }
  if (found === after?.digest) return 'made';
  return found === before?.digest ? 'not-made' : 'unknown';
}
