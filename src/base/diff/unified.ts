// The unified diff of a text file, as patch and git read it. Pure, and usable in a browser.

import { structuredPatch } from 'diff';

/** One file before and after. Absent: there was no such file, or there is none any more. */
export interface DiffSide {
  readonly path: string;
  /** Undefined: the text is not known. */
  readonly text: string | undefined;
  /** Its permission bits. */
  readonly mode: number;
}

const contextLines = 3;
/** Beyond this many changed lines the search for the smallest diff takes too long, and all lines in between are shown as new. */
const mostEdits = 1000;

/** The lines of the diff, without line ends. */
export function unifiedDiff(before: DiffSide | undefined, after: DiffSide | undefined): readonly string[] {
  if (before === undefined && after === undefined) return [];
  const [from, to] = [before?.path ?? after?.path ?? '', after?.path ?? before?.path ?? ''];
  const head = [`diff --git ${quoted(`a/${from}`)} ${quoted(`b/${to}`)}`];
  if (before === undefined) head.push(`new file mode ${modeText(after)}`);
  else if (after === undefined) head.push(`deleted file mode ${modeText(before)}`);
  else if (from !== to) head.push(`rename from ${quoted(from)}`, `rename to ${quoted(to)}`);
  const [was, is] = [textOf(before), textOf(after)];
  if (was === undefined || is === undefined) return [...head, `Binary files, or texts that were not kept, differ`];
  const hunks = hunksOf(was, is);
  if (hunks.length === 0) return head;
  const names = [
    `--- ${before === undefined ? '/dev/null' : quoted(`a/${from}`)}`,
    `+++ ${after === undefined ? '/dev/null' : quoted(`b/${to}`)}`,
  ];
  return [...head, ...names, ...hunks];
}

const textOf = (side: DiffSide | undefined): string | undefined => (side === undefined ? '' : side.text);

/** The changed lines with those around them, each after `+`, `-` or a blank. `@@` lines say where they stand. */
export function hunksOf(before: string, after: string): readonly string[] {
  if (before === after) return [];
  const found = structuredPatch('', '', before, after, '', '', { context: contextLines, maxEditLength: mostEdits });
  if (found === undefined) return wholeHunk(before, after);
  return found.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    ...lines,
  ]);
}

/** Everything between what is the same at the beginning and at the end, as one hunk. */
function wholeHunk(before: string, after: string): readonly string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const start = sameCount(old, now, (lines, index) => lines[index]);
  const most = Math.min(old.length, now.length) - start;
  const end = Math.min(
    most,
    sameCount(old, now, (lines, index) => lines[lines.length - 1 - index]),
  );
  const first = Math.max(0, start - contextLines);
  const tail = Math.min(end, contextLines);
  const [oldCount, newCount] = [old.length - end + tail - first, now.length - end + tail - first];
  return [
    `@@ -${range(first + 1, oldCount)} +${range(first + 1, newCount)} @@`,
    ...marked(' ', old.slice(first, start)),
    ...marked('-', old.slice(start, old.length - end)),
    ...marked('+', now.slice(start, now.length - end)),
    ...marked(' ', old.slice(old.length - end, old.length - end + tail)),
  ];
}

/** The lines with their line ends. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function sameCount(
  left: readonly string[],
  right: readonly string[],
  at: (lines: readonly string[], index: number) => string | undefined,
): number {
  let count = 0;
  while (count < left.length && count < right.length && at(left, count) === at(right, count)) count++;
  return count;
}

const marked = (sign: ' ' | '-' | '+', lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
  );

/** The range of a hunk. If a side has no line, it names the line before. */
const range = (start: number, lines: number): string =>
  lines === 1 ? `${start}` : `${lines === 0 ? start - 1 : start},${lines}`;

const modeText = (side: DiffSide | undefined): string => (((side?.mode ?? 0) & 0o111) === 0 ? '100644' : '100755');

/** Quotes a path with characters that would break a line, as git does. */
const quoted = (path: string): string => (/["\\\p{Cc}]/u.test(path) ? JSON.stringify(path) : path);
