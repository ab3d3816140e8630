// The edge between the file system and faults: what an errno means for a run, and what can be done about it.

import { type Fault, FaultError, fault } from '../../kernel/fault.ts';

/** The errno of something thrown by node:fs. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

const WAYS_OUT: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space, then `cadre resume`.',
  EDQUOT: 'The disk quota is used up: free some space, then `cadre resume`.',
  EFBIG: 'The file is as large as this system allows: raise `ulimit -f`, then `cadre resume`.',
  EROFS: 'The file system is read-only: set `store: {dir: …}` in cadre.yaml to a folder that can be written.',
  EACCES: 'Permission is missing: give this user write access, or set `store: {dir: …}` in cadre.yaml.',
  EPERM: 'Permission is missing: give this user write access, or set `store: {dir: …}` in cadre.yaml.',
  ENOTDIR: 'A file stands where a folder is needed: move it away, or set `store: {dir: …}` in cadre.yaml.',
  EMFILE: 'Too many files are open: raise `ulimit -n`, or run less at the same time.',
  ENFILE: 'Too many files are open: raise `ulimit -n`, or run less at the same time.',
};

export function writeFault(file: string, thrown: unknown): Fault {
  const code = codeOf(thrown) ?? 'unknown';
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  const wayOut = WAYS_OUT[code] ?? 'Look at the disk and the folder, then `cadre resume`.';
  return fault('journal/write', `${file} cannot be written: ${what}. ${wayOut}`, { file, errno: code });
}

/** Runs a step that writes; what it throws becomes a `journal/write` fault, faults pass. */
export function writing<Value>(file: string, step: () => Value): Value {
  try {
    return step();
  } catch (thrown) {
    if (thrown instanceof FaultError) throw thrown;
    throw new FaultError(writeFault(file, thrown));
  }
}
