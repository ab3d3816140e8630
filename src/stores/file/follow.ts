// Keeps reading a journal while any process writes it.
// FOLLOW-1. Only whole lines count, and reading goes on at the byte after the last one: a torn line is not there yet.
// FOLLOW-2. A journal that is taken over is copied, and what its holder before writes after that is not in the copy
//           (TAKEUP-1). So a batch of lines is handed out only if no copy had begun by the time it was read: then the copy
//           has them too.
// FOLLOW-3. If the line at that byte is not the next event, all is read again, and earlier events are left out.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { watchFolder } from '../../base/disk/folder-watch.ts';
import type { RunEvent } from '../../journal/event.ts';
import { openSlice } from '../../journal/slices.ts';
import { upcaster } from '../../journal/upcast.ts';
import { namesIn, type RunFolder } from './folder.ts';
import { eventOn, type LogLine, logLines } from './log.ts';

/** The bytes that are read before they are handed out. */
const BATCH_BYTES = 1 << 18;
/** The pause between two checks that a copy is done, and the age from which it was left by a process that died. */
const COPY_LOOK_MS = 50;
const COPY_MOST_MS = 5000;

/** `known` throws `run/unknown`. */
export async function* followFile(
  known: () => RunFolder,
  fromSeq: number,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void> {
  const folder = known();
  const changes = changesIn(folder.path);
  const next = tailOf(folder);
  const look = () => {
    try {
      return next();
    } catch (thrown) {
      known(); // else it was removed while it was read
      throw thrown;
    }
  };
  const slice = openSlice();
  try {
    while (!signal.aborted) {
      changes.clear();
      const { events, then } = look();
      for (const event of events) {
        if (slice.isOver()) await slice.rest();
        if (signal.aborted) return;
        if (event.seq >= fromSeq) yield event;
        if (event.type === 'run-end') return;
      }
      if (then === 'wait') known();
      if (then !== 'go on') await changes.next(signal, then === 'copy' ? COPY_LOOK_MS : undefined);
    }
  } finally {
    changes.close();
  }
}

function tailOf(folder: RunFolder): () => {
  /** The events that were written since. */
  readonly events: readonly RunEvent[];
  /** Says that there may be more, that this was all for now, or that the journal is being copied. */
  readonly then: 'go on' | 'wait' | 'copy';
} {
  let at: { readonly bytes: number; readonly seq: number } = { bytes: 0, seq: 0 };
  let upcast = upcaster();
  /** Events below this were handed out. */
  let told = 0;

  const restart = (): void => {
    at = { bytes: 0, seq: 0 };
    upcast = upcaster();
  };
  /** A damaged line is an error of the next look, which begins there: what stands before it is handed out first. */
  const eventAt = (line: LogLine, seq: number): RunEvent | undefined => {
    try {
      return upcast(eventOn(line, folder.events, seq));
    } catch (thrown) {
      if (seq <= told) throw thrown;
      return undefined;
    }
  };
  const read = (): {
    readonly events: readonly RunEvent[];
    readonly end: { readonly bytes: number; readonly seq: number };
  } => {
    const events: RunEvent[] = [];
    let end = at;
    for (const line of logLines(folder.events, at.bytes)) {
      if (!line.whole) break; // FOLLOW-1
      const event = eventAt(line, end.seq);
      if (event === undefined) break;
      if (event.seq >= told) events.push(event);
      end = { bytes: line.end, seq: end.seq + 1 };
      if (end.bytes - at.bytes >= BATCH_BYTES) break;
    }
    return { events, end };
  };
  const readAgain = (): ReturnType<typeof read> => {
    try {
      return read();
    } catch (thrown) {
      if (at.bytes === 0) throw thrown;
      restart(); // FOLLOW-3
      return read();
    }
  };
  return () => {
    const before = statSync(folder.events, { throwIfNoEntry: false });
    if (before === undefined || before.size === at.bytes) return { events: [], then: 'wait' };
    if (before.size < at.bytes) restart(); // FOLLOW-3
    const { events, end } = readAgain();
    if (isBeingCopied(folder) || statSync(folder.events, { throwIfNoEntry: false })?.ino !== before.ino) {
      restart(); // FOLLOW-2: what was read may not be in the copy
      return { events: [], then: 'copy' };
    }
    const isMore = end.bytes > at.bytes;
    at = end;
    told = Math.max(told, at.seq);
    return { events, then: isMore ? 'go on' : 'wait' };
  };
}

/** FOLLOW-2 */
function isBeingCopied(folder: RunFolder): boolean {
  if (statSync(folder.takenOver, { throwIfNoEntry: false }) === undefined) return false;
  return namesIn(folder).some((name) => {
    const isCopy = name.startsWith('events.jsonl.') && name.endsWith('.draft');
    const made = isCopy ? statSync(join(folder.path, name), { throwIfNoEntry: false })?.mtimeMs : undefined;
    return made !== undefined && Date.now() - made < COPY_MOST_MS;
  });
}

/** Changes in a folder. Waiting for one keeps the process alive. */
function changesIn(path: string) {
  let isChanged = false;
  let wake = (): void => {};
  const watch = watchFolder(path, () => {
    isChanged = true;
    wake();
  });
  return {
    /** Forgets the changes so far, because they are about to be read. */
    clear(): void {
      isChanged = false;
    },
    /** Ends with the next change, the signal, or after a time. */
    async next(signal: AbortSignal, withinMs?: number): Promise<void> {
      if (isChanged || signal.aborted) return;
      watch.ref();
      await new Promise<void>((resolve) => {
        const timer = withinMs === undefined ? undefined : setTimeout(() => wake(), withinMs);
        wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        signal.addEventListener('abort', wake);
      });
      watch.unref();
    },
    close: () => watch.close(),
  };
}
