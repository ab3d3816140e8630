// The plan of an undo: the bytes that each file gets, and the files that cannot be restored. It touches nothing.
// UNDO-1. A file is taken back only from the state that the last of the changes left it in. One that is back at its
//     first state already is done: an undo that was broken off can be made again.
// UNDO-2. What the last change of a file came to is decided by the file, if the record does not say.
// UNDO-3. Restored bytes have the digest that was recorded before the change, or they are not used.

import { createHash } from 'node:crypto';
import { type FileState, judgeChange } from '../../kernel/change.ts';
import { placeAfter, type RecordedChange } from '../../views/changes.ts';

/** A file as it is now. */
export interface FileNow {
  readonly bytes: Uint8Array;
  readonly digest: string;
  /** Its permission bits. */
  readonly mode: number;
}

export interface UndoStep {
  readonly path: string;
  /** Absent: the file is removed. */
  readonly bytes?: Uint8Array;
  /** Its permission bits, if another file stood in its place. Otherwise it keeps those that it has. */
  readonly mode?: number;
}

export interface UndoPlan {
  readonly steps: readonly UndoStep[];
  /** The ops whose changes are taken back. */
  readonly ops: readonly string[];
  /** Folders that the changes made, the outermost first. */
  readonly folders: readonly string[];
  /** The reasons why it cannot be done, one line for each file. Then nothing is done. */
  readonly obstacles: readonly { readonly path: string; readonly why: string }[];
}

export interface UndoReading {
  /** The file at each path that the changes touch. Undefined: nothing. */
  readonly now: ReadonlyMap<string, FileNow | undefined>;
  blob(digest: string): Promise<Uint8Array | undefined>;
}

/** `changes` are in the order in which they were made. */
export async function planUndo(changes: readonly RecordedChange[], reading: UndoReading): Promise<UndoPlan> {
  const made = changes.filter((change, index) => wasMade(change, changes.slice(index + 1), reading));
  const states = statesOf(made);
  const obstacles = [...states].flatMap(([path, state]) => changedSince(path, state, reading));
  const contents = obstacles.length > 0 ? new Map<string, Contents>() : await walkBack(made, states, reading);
  const steps: UndoStep[] = [];
  for (const [path, state] of states) {
    if (obstacles.length > 0 || isFirst(state, reading.now.get(path))) continue;
    const found = contents.get(path) ?? ABSENT;
    if (found.kind === 'lost') obstacles.push({ path, why: found.why });
    else {
      const mode = state.isReplaced ? state.first?.mode : undefined;
      steps.push({ path, ...(mode !== undefined && { mode }), ...(found.kind === 'bytes' && { bytes: found.bytes }) });
    }
  }
  return {
    steps,
    ops: changes.map(({ op }) => op),
    folders: [...new Set(made.flatMap(({ folders = [] }) => folders))],
    obstacles,
  };
}

/** UNDO-2. */
function wasMade(change: RecordedChange, later: readonly RecordedChange[], { now }: UndoReading): boolean {
  if (change.state === 'made') return true;
  const place = placeAfter(change);
  if (later.some(({ path }) => path === place || path === change.path)) return false;
  const found = now.get(change.path)?.digest;
  const verdict = judgeChange(change, found, change.to === undefined ? undefined : now.get(change.to)?.digest);
  return verdict === 'made' || (verdict === 'unknown' && change.state === 'in-doubt');
}

interface PathStates {
  readonly first: FileState | undefined;
  last: FileState | undefined;
  /** The path was empty in between, so that another file may stand in the place of the first one. */
  isReplaced: boolean;
}

const isFirst = ({ first, isReplaced }: PathStates, now: FileNow | undefined): boolean =>
  now?.digest === first?.digest && (!isReplaced || now?.mode === first?.mode);

/** The states of each path before the first change and after the last one. */
function statesOf(made: readonly RecordedChange[]): ReadonlyMap<string, PathStates> {
  const states = new Map<string, PathStates>();
  const note = (path: string, before: FileState | undefined, after: FileState | undefined): void => {
    const known = states.get(path) ?? { first: before, last: after, isReplaced: false };
    states.set(path, known);
    known.last = after;
    known.isReplaced ||= after === undefined;
  };
  for (const { path, to, before, after } of made) {
    if (to === undefined) note(path, before, after);
    else {
      note(path, before, undefined);
      note(to, undefined, after);
    }
  }
  return states;
}

/** UNDO-1. */
function changedSince(path: string, { first, last }: PathStates, { now }: UndoReading): UndoPlan['obstacles'] {
  const digest = now.get(path)?.digest;
  if (digest === last?.digest || digest === first?.digest) return [];
  if (digest === undefined) return [{ path, why: 'was removed since' }];
  return [{ path, why: last === undefined ? 'was made again since' : 'was changed since' }];
}

type Contents =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'absent' }
  | { readonly kind: 'lost'; readonly why: string };

const ABSENT: Contents = { kind: 'absent' };
const lost = (why: string): Contents => ({ kind: 'lost', why });

/** Finds the bytes that each path held before the first change, from the last change back to the first. */
async function walkBack(
  made: readonly RecordedChange[],
  states: ReadonlyMap<string, PathStates>,
  reading: UndoReading,
): Promise<Map<string, Contents>> {
  const contents = new Map<string, Contents>();
  for (const [path, { last }] of states) {
    const found = reading.now.get(path);
    const isLast = found?.digest === last?.digest;
    if (found === undefined) contents.set(path, ABSENT);
    else contents.set(path, isLast ? { kind: 'bytes', bytes: found.bytes } : lost('was taken back already'));
  }
  for (const change of made.toReversed()) {
    const current = contents.get(placeAfter(change)) ?? ABSENT;
    if (change.to !== undefined) {
      contents.set(change.to, ABSENT);
      contents.set(change.path, current);
    } else {
      contents.set(change.path, verified(await before(change, current, reading), change.before));
    }
  }
  return contents;
}

async function before(
  { before: was, back }: RecordedChange,
  current: Contents,
  reading: UndoReading,
): Promise<Contents> {
  if (was === undefined) return ABSENT;
  if (was.kept === was.digest) {
    const bytes = await reading.blob(was.kept);
    return bytes === undefined ? lost('its text is not in the store any more') : { kind: 'bytes', bytes };
  }
  if (back === undefined) return lost('held secrets, so its text was not kept');
  if (current.kind !== 'bytes') return current;
  const replaced = await reading.blob(back.blob);
  if (replaced === undefined) return lost('its text is not in the store any more');
  const { bytes } = current;
  return {
    kind: 'bytes',
    bytes: Buffer.concat([bytes.subarray(0, back.at), replaced, bytes.subarray(back.at + back.bytes)]),
  };
}

/** UNDO-3. */
function verified(contents: Contents, was: FileState | undefined): Contents {
  if (contents.kind !== 'bytes') return contents;
  const digest = createHash('sha256').update(contents.bytes).digest('hex');
  return digest === was?.digest ? contents : lost('its text in the store is not the one that was recorded');
}
