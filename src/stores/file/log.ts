// Reading events.jsonl: whole lines, then events. Never writes.
// LOG-1. The n-th line is the event with seq n - 1, or the file is corrupt.
// LOG-2. Only what follows the last line break can be torn: it was being written when its process died, and was never
//        acknowledged. A bad line before that is damage, and is never skipped.

import { closeSync, fstatSync, readSync } from 'node:fs';
import type { RunEvent } from '../../journal/event.ts';
import { upcaster } from '../../journal/upcast.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import { parseEvent } from '../stored-event.ts';
import { codeOf, openOwn } from './disk.ts';

const CHUNK = 1 << 18;
const LINE_BREAK = 10;

export interface LogLine {
  readonly text: string;
  /** The offset of the next line, in bytes. */
  readonly end: number;
  /** A torn last line has no line break (LOG-2). */
  readonly whole: boolean;
}

/** The lines that the file holds when this begins, from a byte on. */
export function* logLines(file: string, from = 0): Generator<LogLine> {
  const fd = openToRead(file);
  try {
    let begun: Buffer[] = [];
    let position = from;
    const { size: stop } = fstatSync(fd);
    const chunk = Buffer.allocUnsafe(Math.max(0, Math.min(CHUNK, stop - from)));
    while (position < stop) {
      const size = readSync(fd, chunk, 0, Math.min(CHUNK, stop - position), position);
      if (size === 0) break;
      const filled = chunk.subarray(0, size);
      let start = 0;
      for (let lineEnd = filled.indexOf(LINE_BREAK); lineEnd >= 0; lineEnd = filled.indexOf(LINE_BREAK, start)) {
        const text = joined(begun, filled.subarray(start, lineEnd));
        begun = [];
        start = lineEnd + 1;
        yield { text, end: position + start, whole: true };
      }
      if (start < size) begun.push(Buffer.from(filled.subarray(start)));
      position += size;
    }
    if (begun.length > 0) yield { text: joined(begun), end: position, whole: false };
  } finally {
    closeSync(fd);
  }
}

/** The lines of a file in blocks, the last block first. Only that one may end in a torn line (LOG-2). */
export function* blocksBack(file: string): Generator<Buffer> {
  const fd = openToRead(file);
  try {
    let rest: Buffer = Buffer.alloc(0); // of a line that begins in an earlier block
    for (let end = fstatSync(fd).size; end > 0; ) {
      const begin = Math.max(0, end - CHUNK);
      const block = Buffer.allocUnsafe(end - begin + rest.length);
      readAt(fd, block.subarray(0, end - begin), begin, file);
      rest.copy(block, end - begin);
      const first = begin === 0 ? 0 : block.indexOf(LINE_BREAK) + 1;
      if (first > 0 || begin === 0) yield block.subarray(first);
      rest = first > 0 ? block.subarray(0, first) : block;
      end = begin;
    }
  } finally {
    closeSync(fd);
  }
}

/** Fills the bytes from a place of the file. */
function readAt(fd: number, bytes: Buffer, place: number, file: string): void {
  for (let filled = 0; filled < bytes.length; ) {
    const size = readSync(fd, bytes, filled, bytes.length - filled, place + filled);
    if (size === 0) fail('journal/corrupt', `${file} has become shorter while it was read.`, { file });
    filled += size;
  }
}

/** Where the whole lines of a block begin and end, the last one first. */
export function linesBack(block: Buffer): readonly (readonly [begin: number, end: number])[] {
  const lines: [number, number][] = [];
  for (let begin = 0, end = block.indexOf(LINE_BREAK); end >= 0; end = block.indexOf(LINE_BREAK, begin)) {
    lines.push([begin, end]);
    begin = end + 1;
  }
  return lines.reverse();
}

const joined = (begun: readonly Buffer[], rest?: Buffer): string => {
  if (begun.length === 0 && rest !== undefined) return rest.toString('utf8');
  return Buffer.concat(rest === undefined ? begun : [...begun, rest]).toString('utf8');
};

function openToRead(file: string): number {
  try {
    return openOwn(file, 'read');
  } catch (thrown) {
    if (thrown instanceof FaultError) throw thrown;
    fail('journal/corrupt', `${file} cannot be read (${codeOf(thrown)}). Give this user read access to it.`, { file });
  }
}

/** The events of a file in order. `onTorn` gets the length in bytes of a torn last line. */
export function* eventsOf(
  file: string,
  onTorn: (bytes: number) => void,
  {
    from = 0,
    name = file,
  }: {
    /** The first event that is wanted. Of those before it only what says their version is looked at. */
    readonly from?: number;
    /** Faults speak of this file. It differs where a copy is read. */
    readonly name?: string;
  } = {},
): Generator<{ readonly event: RunEvent; readonly end: number }> {
  let seq = -1;
  let end = 0;
  const upcast = upcaster();
  for (const line of logLines(file)) {
    if (!line.whole) return onTorn(line.end - end);
    seq++;
    end = line.end;
    if (seq < from && seq > 0 && !isResume(line.text)) continue;
    const event = upcast(eventOn(line, name, seq));
    if (seq >= from) yield { event, end };
  }
}

/** True for a resume: none of the fields before the type holds a text. */
const isResume = (line: string): boolean => line.slice(0, 100).includes('"type":"run-resume"');

/** One event, from its line. Throws `journal/corrupt`. */
export function eventOn(line: LogLine, file: string, seq: number): RunEvent {
  try {
    const written = parseEvent(line.text);
    if (written.seq !== seq) throw new Error(`it is event ${written.seq}, where event ${seq} belongs`); // LOG-1
    return written;
  } catch (thrown) {
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    fail(
      'journal/corrupt',
      `${file}:${seq + 1} cannot be read: ${what}. Restore the file, or remove this line and all after it to go on from there.`,
      { file, line: seq + 1 },
    );
  }
}
