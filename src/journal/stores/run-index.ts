// What a list shows of each run that was written, in one file: <dir>/runs.jsonl, a line for each time that a run came
// to rest. It is only a cache: it can be deleted at any time, and a problem with it never fails a run or a list.
// I1. The last line of a run counts; one without a summary takes back those before it. A torn or damaged line is
//     ignored.
// I2. A line says how many bytes of the journal it covers, and its reader compares: a stale line does no harm.
// I3. The file is rewritten as a whole, by a rename. What others append to the old one meanwhile is lost, and found
//     again in the journals.

import { closeSync, fstatSync, readdirSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_CARRIER_DEPTH, readJson } from '../../kernel/json.ts';
import type { RunId } from '../event.ts';
import { openOwn } from './file/disk.ts';
import { newNonce } from './file/holder.ts';
import { type KeptOpen, rest } from './file/kept-open.ts';
import { logLines } from './file/log.ts';
import type { RecordedSummary } from './summary.ts';

export interface RunIndex {
  add(tallies: readonly RecordedSummary[]): void;
  forget(run: RunId): void;
  /** Tells each line that any process added since the last call; all lines if the file is another one. */
  gained(tell: (run: RunId, tally: RecordedSummary | undefined) => void): void;
  /** Lines that were told. */
  lines(): number;
  rewrite(tallies: readonly RecordedSummary[]): void;
}

/** How often a process checks that the file that it appends to is still the index. */
const LOOK_MS = 100;

export function runIndex(root: string): RunIndex {
  const file = join(root, 'runs.jsonl');
  let fd: number | undefined;
  let seen = { inode: 0, bytes: 0, lines: 0 };

  const kept: KeptOpen = {
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
  let looked = Number.NEGATIVE_INFINITY;
  /** Deleted, or rewritten by another process. What is appended before we notice is lost (I3). */
  const isGone = (open: number): boolean => {
    const now = performance.now();
    if (now - looked < LOOK_MS) return false;
    looked = now;
    return fstatSync(open).nlink === 0;
  };
  const append = (text: string): void =>
    tolerantly(() => {
      if (fd !== undefined && isGone(fd)) kept.close();
      fd ??= openOwn(file, 'append or make');
      writeSync(fd, text);
      rest(kept);
    });

  return {
    add(tallies) {
      if (tallies.length > 0) append(textOf(tallies));
    },
    forget: (run) => append(`${JSON.stringify({ run })}\n`),
    gained: (tell) =>
      tolerantly(() => {
        const { ino: inode, size } = statSync(file);
        if (inode !== seen.inode || size < seen.bytes) seen = { inode, bytes: 0, lines: 0 };
        if (size === seen.bytes) return;
        for (const line of logLines(file, seen.bytes)) {
          if (!line.whole) return;
          seen.bytes = line.end;
          seen.lines++;
          const found = parse(line.text);
          if (found !== undefined) tell(found.run, isTally(found) ? found : undefined);
        }
      }),
    lines: () => seen.lines,
    rewrite: (tallies) =>
      tolerantly(() => {
        for (const name of readdirSync(root)) if (isDraft(name)) rmSync(join(root, name)); // left by the dead, or stale
        const draft = join(root, `runs.jsonl.${newNonce()}.draft`);
        writeFileSync(draft, textOf(tallies), { mode: 0o600 });
        renameSync(draft, file);
      }),
  };
}

const isDraft = (name: string): boolean => name.startsWith('runs.jsonl.') && name.endsWith('.draft');

const textOf = (tallies: readonly RecordedSummary[]): string => {
  let text = '';
  for (const tally of tallies) text += `${JSON.stringify(tally)}\n`;
  return text;
};

type Written = Partial<RecordedSummary> & { readonly run: RunId };

function parse(text: string): Written | undefined {
  const parsed = readJson(text, MAX_CARRIER_DEPTH);
  if (!parsed.ok) return undefined; // I1
  const found = parsed.value as Written | null;
  return typeof found?.run === 'string' ? found : undefined;
}

const isTally = (found: Partial<RecordedSummary>): found is RecordedSummary =>
  typeof found.agent === 'string' &&
  typeof found.input?.text === 'string' &&
  Number.isFinite(found.startedAt) &&
  Number.isFinite(found.events) &&
  Number.isFinite(found.bytes) &&
  Number.isFinite(found.unpriced) &&
  Number.isFinite(found.inFlight) &&
  // Lines of an earlier release do not have these fields, so the run is counted again.
  Array.isArray(found.agents) &&
  found.agents.every((name) => typeof name === 'string') &&
  Number.isFinite(found.waiting) &&
  typeof found.folder === 'string' &&
  Number.isFinite(found.calls) &&
  Number.isFinite(found.inDoubt);

function tolerantly(step: () => void): void {
  try {
    step();
  } catch {
    return;
  }
}
