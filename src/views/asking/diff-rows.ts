// A unified diff as rows for a person: line by line with the numbers of both sides, files apart, and the words that differ
// in lines that take each other's place. Every line of it is there; one that is very long says how much is left out of it.
// Pure: the page uses it.

import { shownLine } from './question-lines.ts';

export interface DiffFile {
  /** Undefined: the text names no file. */
  readonly path: string | undefined;
  readonly added: number;
  readonly removed: number;
  readonly rows: readonly DiffRow[];
}

export interface DiffRow {
  readonly kind: 'same' | 'added' | 'removed' | 'place';
  readonly before?: number;
  readonly after?: number;
  readonly text: string;
  /** The part of the text that differs: where it begins and ends. */
  readonly mark?: readonly [number, number];
}

/** Lines about modes and digests say nothing to a person; renames and what is binary do. */
const SILENT = /^(?:index |old mode|new mode|new file mode|deleted file mode|similarity index)/;
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

interface OpenDiffFile {
  path: string | undefined;
  rows: DiffRow[];
}

export function diffFiles(text: string): readonly DiffFile[] {
  const files: OpenDiffFile[] = [];
  let [before, after, left, from] = [0, 0, 0, ''];
  const file = (): OpenDiffFile => files.at(-1) ?? begin(undefined);
  const begin = (path: string | undefined): OpenDiffFile => {
    files.push({ path, rows: [] });
    return files.at(-1) as OpenDiffFile;
  };
  const lines = text.replace(/\n$/, '').split('\n');
  lines.forEach((line, index) => {
    const hunk = HUNK.exec(line);
    if (left === 0 && line.startsWith('diff --git ')) begin(undefined);
    else if (left === 0 && line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') === true)
      from = line.slice(4);
    else if (left === 0 && line.startsWith('+++ ') && from !== '') {
      const open = files.at(-1);
      const named = open?.path === undefined && open?.rows.length === 0 ? open : begin(undefined);
      named.path = pathOf(line.slice(4)) ?? pathOf(from);
      from = '';
    } else if (hunk !== null && left === 0) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      left = linesOfHunk(line);
      if (file().rows.length > 0) file().rows.push({ kind: 'place', text: shownLine(line) });
    } else if (left > 0 && line.startsWith('+')) {
      left -= 1;
      file().rows.push({ kind: 'added', after: after++, text: shownLine(line.slice(1)) });
    } else if (left > 0 && line.startsWith('-')) {
      left -= 1;
      file().rows.push({ kind: 'removed', before: before++, text: shownLine(line.slice(1)) });
    } else if (left > 0 && !line.startsWith('\\')) {
      left -= 2;
      file().rows.push({ kind: 'same', before: before++, after: after++, text: shownLine(line.slice(1)) });
    } else if (!SILENT.test(line)) file().rows.push({ kind: 'place', text: shownLine(line) });
  });
  return files.map(({ path, rows }) => ({
    path,
    added: rows.filter(({ kind }) => kind === 'added').length,
    removed: rows.filter(({ kind }) => kind === 'removed').length,
    rows: marked(rows),
  }));
}

/**
 * The lines of both sides together in a part: `@@ -1,3 +1,4 @@` has 7. A line of the text that is like a head is none.
 */
function linesOfHunk(head: string): number {
  const sizes = [...head.matchAll(/[-+]\d+(?:,(\d+))?/g)].slice(0, 2).map(([, size]) => Number(size ?? 1));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function pathOf(name: string): string | undefined {
  const path = name.replace(/\t.*$/, '').replace(/^[ab]\//, '');
  return path === '/dev/null' ? undefined : shownLine(path);
}

/** Runs of removed lines that are followed by as many added ones: each pair has the part marked in which it differs. */
function marked(rows: readonly DiffRow[]): readonly DiffRow[] {
  const all = [...rows];
  for (let index = 0; index < all.length; index++) {
    const count = runOf(all, index, 'removed');
    if (count === 0 || runOf(all, index + count, 'added') !== count) continue;
    for (let at = index; at < index + count; at++) {
      const [left, right] = [all[at], all[at + count]] as [DiffRow, DiffRow];
      const [head, tail] = commonEnds(left.text, right.text);
      if (head + tail === 0) continue;
      all[at] = { ...left, mark: [head, left.text.length - tail] };
      all[at + count] = { ...right, mark: [head, right.text.length - tail] };
    }
    index += 2 * count - 1;
  }
  return all;
}

function runOf(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): number {
  let count = 0;
  while (rows[from + count]?.kind === kind) count++;
  return count;
}

/** The lengths that two texts have in common at the beginning and at the end, in whole words. */
function commonEnds(left: string, right: string): readonly [number, number] {
  const most = Math.min(left.length, right.length);
  let head = 0;
  while (head < most && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < most - head && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
  while (head > 0 && isInWord(left, head)) head--;
  while (tail > 0 && isInWord(left, left.length - tail)) tail--;
  return [head, tail];
}

const isInWord = (text: string, at: number): boolean => /\w\w/.test(text.slice(at - 1, at + 1));
