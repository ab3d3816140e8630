// Knows where in a journal the end of each op stands, so that one can be read without reading the others. It keeps this
// for the few runs that were asked about last.
// B1. A journal only grows, so what was found once is there. Only what follows is looked through, and of each line
//     only the beginning.
// B2. A journal that is another file by now, or shorter, is looked through again. So is one that no longer holds at a
//     place what was found there.

import { closeSync, fstatSync, readSync } from 'node:fs';
import type { OpPath } from '../../../kernel/path.ts';
import type { OpEnd, RunEvent } from '../../event.ts';
import { upcaster } from '../../upcast.ts';
import { openOwn } from './disk.ts';
import { mayRefer } from './first-release-texts.ts';
import { eventsOf, parseEvent } from './log.ts';

export interface OpEndIndex {
  /** Undefined where the op has not ended. */
  find(file: string, path: OpPath): OpEnd | undefined;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Ends {
  readonly inode: number;
  /** The journal was looked through up to here. */
  bytes: number;
  readonly ends: Map<OpPath, Span>;
  /** Events that say which version follows them. */
  readonly versions: { readonly at: number; readonly event: RunEvent }[];
}

const RUNS_KEPT = 8;

export function opEndIndex(): OpEndIndex {
  /** Indexes by file. The one that was asked about last is at the end. */
  const kept = new Map<string, Ends>();
  const keep = (file: string, ends: Ends): void => {
    kept.delete(file);
    kept.set(file, ends);
    const [oldest] = kept.keys();
    if (kept.size > RUNS_KEPT && oldest !== undefined) kept.delete(oldest);
  };
  const look = (file: string, fd: number, path: OpPath, before: Ends | undefined): OpEnd | undefined => {
    const { ino: inode, size } = fstatSync(fd);
    const isSame = before?.inode === inode && before.bytes <= size; // B2
    const found = isSame ? before : { inode, bytes: 0, ends: new Map(), versions: [] };
    keep(file, found);
    scan(fd, size, found);
    const span = found.ends.get(path);
    if (span === undefined) return undefined;
    const event = eventIn(fd, file, path, span, found);
    return event === undefined && isSame ? look(file, fd, path, undefined) : event; // B2
  };
  return {
    find(file, path) {
      const fd = openOwn(file, 'read');
      try {
        return look(file, fd, path, kept.get(file));
      } finally {
        closeSync(fd);
      }
    },
  };
}

const CHUNK = 1 << 18;
const LINE_BREAK = 10;
/** The beginning of a line, up to and including the path of its op. */
const HEAD_BYTES = 512;
const HEAD = /^\{(?:"seq":\d+,"at":[\d.e+-]+,)?"type":"([a-z-]+)",(?:"seq":\d+,"at":[\d.e+-]+,)?(?:"path":"([\d.]+)")?/;

/** Looks through what was written since (B1). A torn last line is not there yet. */
function scan(fd: number, size: number, into: Ends): void {
  if (into.bytes >= size) return;
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - into.bytes));
  let position = into.bytes;
  /** Of a line that is longer than a chunk. */
  let head: string | undefined;
  while (position < size) {
    const filled = chunk.subarray(0, readSync(fd, chunk, 0, Math.min(chunk.length, size - position), position));
    if (filled.length === 0) return;
    let start = 0;
    for (let end = filled.indexOf(LINE_BREAK); end >= 0; end = filled.indexOf(LINE_BREAK, start)) {
      note(fd, head ?? headOf(filled, start, end), { from: into.bytes, to: position + end }, into);
      head = undefined;
      start = end + 1;
      into.bytes = position + start;
    }
    if (start === 0) head ??= headOf(filled, 0, filled.length);
    position = head === undefined ? into.bytes : position + filled.length; // a line is read from its beginning
    if (head === undefined && position + filled.length - start >= size) return; // and this one is torn
  }
}

const headOf = (bytes: Buffer, from: number, to: number): string =>
  bytes.toString('latin1', from, Math.min(to, from + HEAD_BYTES));

function note(fd: number, head: string, span: Span, { ends, versions }: Ends): void {
  const [, type, path] = HEAD.exec(head) ?? [];
  const isPlain = type !== undefined && type !== 'run-start' && type !== 'run-resume';
  if (isPlain && type !== 'op-end') return;
  const event = isPlain && path !== undefined ? ({ type, path } as const) : readEvent(textIn(fd, span));
  if (event?.type === 'op-end' && !ends.has(event.path)) ends.set(event.path, span);
  else if (event?.type === 'run-start' || event?.type === 'run-resume') versions.push({ at: span.from, event });
}

/** Undefined where it is damaged. */
function readEvent(text: string): RunEvent | undefined {
  try {
    return parseEvent(text);
  } catch {
    return undefined;
  }
}

/** Undefined if something else stands there. */
function eventIn(fd: number, file: string, path: OpPath, span: Span, { versions }: Ends): OpEnd | undefined {
  const text = textIn(fd, span);
  const event = mayRefer(text) ? undefined : readEvent(text);
  if (event === undefined) return endFromStart(file, path);
  if (event.type !== 'op-end' || event.path !== path) return undefined;
  const upcast = upcaster();
  for (const { at, event: version } of versions) if (at < span.from) upcast(version);
  return upcast(event) as OpEnd;
}

/** Reads the whole journal: for a damaged line, which is reported, and for a line that refers to texts before it. */
function endFromStart(file: string, path: OpPath): OpEnd | undefined {
  for (const { event } of eventsOf(file, () => {})) {
    if (event.type === 'op-end' && event.path === path) return event;
  }
  return undefined;
}

function textIn(fd: number, { from, to }: Span): string {
  const bytes = Buffer.allocUnsafe(to - from);
  let filled = 0;
  while (filled < bytes.length) {
    const read = readSync(fd, bytes, filled, bytes.length - filled, from + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.toString('utf8', 0, filled);
}
