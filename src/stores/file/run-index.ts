// The summaries that a list shows of each run that was written, in one file: <dir>/runs.jsonl, a line for each time
// that a run came to rest. It is only a cache: it can be deleted at any time, and a problem with it never fails a run
// or a list.
// INDEX-1. The last line of a run counts; one without a summary takes back those before it. A torn or damaged line is
//          ignored.
// INDEX-2. A line says how many bytes of the journal it covers, and its reader compares: a stale line does no harm.
// INDEX-3. The file is rewritten as a whole, by a rename. What others append to the old one meanwhile is lost, and
//          found again in the journals.

import { closeSync, fstatSync, readdirSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_CARRIER_DEPTH, readJson } from '../../base/text/json.ts';
import type { RestingWork } from '../../base/text/steps.ts';
import type { RunId } from '../../journal/event.ts';
import { isRunId } from '../../journal/run-names.ts';
import type { RunQuery, SpentRun } from '../../journal/store.ts';
import { AFTER_SPENT, spentRunIn } from '../spent-text.ts';
import { isWhole, type RecordedSummary, textOfSummary, WHOLE_MARK } from '../summary.ts';
import { openOwn } from './disk.ts';
import { newNonce } from './holder.ts';
import { type KeptOpen, rest } from './kept-open.ts';
import { blocksBack, type LogLine, linesBack, logLines } from './log.ts';

export interface RunIndex {
  add(tallies: readonly RecordedSummary[]): void;
  forget(run: RunId): void;
  /** Tells each line that any process added since the last call; all lines if the file is another one. */
  gained(tell: TellLine): RestingWork<void>;
  /** The same, but of what was there before the first call only the last lines are told. */
  gainedAtEnd(tell: TellLine): void;
  /**
   * Tells every line from the last one back, so that of several lines of a run the one that counts comes first. Nothing of
   * it is kept: for one look at a long file.
   */
  scanBack(tell: TellSpent): RestingWork<void>;
  /** True if `gained` has told all that it holds. */
  isWhole(): boolean;
  /** Lines that were told. */
  lines(): number;
  /** The lines are texts, as they were told. */
  rewrite(lines: Iterable<string>): void;
}

/**
 * A line is told as text, because most lines of a long list are never looked at; undefined if what is known of the run
 * does not count.
 */
type TellLine = (run: RunId, line: string | undefined) => void;

/** The spending is undefined for a run that has not ended. `line`: as it is told to others. */
type TellSpent = (run: RunId, spent: SpentRun | undefined, line: () => string | undefined) => void;

/** The end of the file that the newest runs are looked for in: some hundred lines. */
const END_BYTES = 1 << 18;

/** The pause between two checks that the file that a process appends to is still the index. */
const LOOK_MS = 100;

export function runIndex(root: string): RunIndex {
  const file = join(root, 'runs.jsonl');
  let fd: number | undefined;
  let seen = NOTHING;

  const kept: KeptOpen = {
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
  let looked = Number.NEGATIVE_INFINITY;
  /** Deleted, or rewritten by another process. What is appended before we notice is lost (INDEX-3). */
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

  /** Undefined if nothing was added. */
  const from = (isWhole: boolean): number | undefined => {
    const { ino: inode, size } = statSync(file, { throwIfNoEntry: false }) ?? { ino: 0, size: 0 };
    const isSame = inode === seen.inode && size >= seen.bytes && (seen.isWhole || !isWhole);
    if (!isSame) seen = { ...NOTHING, inode, isWhole, bytes: isWhole ? 0 : Math.max(0, size - END_BYTES) };
    return size === seen.bytes ? undefined : seen.bytes;
  };
  const take = (line: LogLine, tell: TellLine): boolean => {
    if (!line.whole) return false;
    seen.bytes = line.end;
    seen.lines++;
    told(line.text, tell);
    return true;
  };

  return {
    add(tallies) {
      if (tallies.length > 0) append(tallies.map((tally) => `${textOfSummary(tally)}\n`).join(''));
    },
    forget: (run) => append(`${JSON.stringify({ run })}\n`),
    *gained(tell) {
      try {
        const begin = from(true);
        if (begin === undefined) return;
        for (const line of logLines(file, begin)) {
          if (!take(line, tell)) return;
          yield;
        }
      } catch {
        seen = { ...seen, isWhole: true }; // there is no more to be had
      }
    },
    gainedAtEnd: (tell) =>
      tolerantly(() => {
        const begin = from(false);
        if (begin !== undefined) for (const line of logLines(file, begin)) if (!take(line, tell)) return;
      }),
    *scanBack(tell) {
      for (const block of readable(blocksBack(file))) {
        for (const [begin, end] of linesBack(block)) spentTold(block, begin, end, tell);
        yield;
      }
    },
    isWhole: () => seen.isWhole,
    lines: () => seen.lines,
    rewrite: (lines) =>
      tolerantly(() => {
        for (const name of readdirSync(root)) if (isDraft(name)) rmSync(join(root, name)); // left by the dead, or stale
        const draft = join(root, `runs.jsonl.${newNonce()}.draft`);
        let text = '';
        for (const line of lines) text += `${line}\n`;
        writeFileSync(draft, text, { mode: 0o600 });
        renameSync(draft, file);
      }),
  };
}

/** Nothing was read of any file. */
const NOTHING = { inode: 0, bytes: 0, lines: 0, isWhole: false };

function told(line: string, tell: TellLine): void {
  const run = runOf(line);
  if (run !== undefined) tell(run, isOfToday(line) ? line : undefined);
}

/** Reads only the beginning of the line of an ended run. */
function spentTold(block: Buffer, begin: number, end: number, tell: TellSpent): void {
  const stop = block[end - 1] === BRACE ? block.indexOf(AFTER_SPENT_BYTES, begin) + AFTER_SPENT_BYTES.length : end;
  const spent = stop < end && stop > begin ? spentRunIn(block.toString('utf8', begin, stop)) : undefined;
  if (spent !== undefined) tell(spent.run, spent, () => undefined);
  else told(block.toString('utf8', begin, end), (run, text) => tell(run, undefined, () => text));
}

const AFTER_SPENT_BYTES = Buffer.from(AFTER_SPENT);
const BRACE = '}'.charCodeAt(0);

/** Blocks that cannot be read are left out: the journals have all that they say. */
function* readable(blocks: Iterable<Buffer>): Generator<Buffer> {
  try {
    yield* blocks;
  } catch {
    return;
  }
}

const isDraft = (name: string): boolean => name.startsWith('runs.jsonl.') && name.endsWith('.draft');

/** The summary in a line; undefined if it is damaged, or was written by a release that counted less (INDEX-1). */
export function tallyIn(line: string): RecordedSummary | undefined {
  const parsed = readJson(line, MAX_CARRIER_DEPTH);
  const found = parsed.ok ? (parsed.value as Partial<RecordedSummary> | null) : null;
  return found !== null && isTally(found) ? found : undefined;
}

const BEGINS = '{"run":"';

/** The run of a line, without reading the rest of it. A line that was cut off has none (INDEX-1). */
function runOf(line: string): RunId | undefined {
  if (!line.startsWith(BEGINS) || !line.endsWith('}')) return undefined;
  const run = line.slice(BEGINS.length, line.indexOf('"', BEGINS.length));
  return isRunId(run) ? run : undefined;
}

/** False if the line takes back those before it, or if an earlier release wrote it, which counted less. */
const isOfToday = (line: string): boolean => line.includes(WHOLE_MARK);

/**
 * False only if a run with this line cannot fit. What was asked does not change, and once a run has ended nothing that a
 * query asks for does: so most lines of a long list need not be parsed, nor compared with their journals.
 */
export function mayFit(line: string, query: RunQuery): boolean {
  const { agent, label, thread, threaded, outcome, state, waiting, text } = query;
  if (threaded === true && !line.includes('"thread":"')) return false;
  if (!says(line, 'agent', agent) || !says(line, 'label', label) || !says(line, 'thread', thread)) return false;
  if (text !== undefined && isPlain(text) && !isCut(line) && !line.toLowerCase().includes(text.toLowerCase()))
    return false;
  if (!isEnded(line)) return true;
  return says(line, 'outcome', outcome) && (state ?? 'ended') === 'ended' && waiting !== true;
}

/** True for a run that has ended. */
export const isEnded = (line: string): boolean => line.includes('"outcome":"');

/** A quotation mark inside a text is escaped, so this is found only where it is a key. */
const says = (line: string, key: string, value: string | undefined): boolean =>
  value === undefined || line.includes(`"${key}":${JSON.stringify(value)}`);

/** Written in JSON as it is. */
const isPlain = (text: string): boolean => /^[ !#-[\]-~]*$/.test(text);

/** The journal has more of its input. */
const isCut = (line: string): boolean => line.includes('…"');

const isTally = (found: Partial<RecordedSummary>): found is RecordedSummary =>
  typeof found.run === 'string' &&
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
  isWhole(found) &&
  Number.isFinite(found.inDoubt);

function tolerantly(step: () => void): void {
  try {
    step();
  } catch {
    return;
  }
}
