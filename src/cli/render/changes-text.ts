// The changes of a run for a terminal: the diff in colour, and what a diff does not tell.

import type { RunChanges } from '../../engine/history/run-changes.ts';
import type { Paint, TextTone } from '../screen/terminal.ts';

/** The diffs as lines that patch and git read, if `paint` adds nothing. */
export const diffLines = ({ files }: RunChanges, paint: Paint): readonly string[] =>
  files.flatMap(({ diff }) => diff.map((line) => paintedLine(line, paint)));

function paintedLine(line: string, paint: Paint): string {
  const tone = toneOf(line);
  return tone === undefined ? line : paint(tone, line);
}

function toneOf(line: string): TextTone | undefined {
  if (/^(?:diff |--- |\+\+\+ |new file|deleted file|rename )/.test(line)) return 'strong';
  if (line.startsWith('@@')) return 'name';
  if (line.startsWith('+')) return 'good';
  return line.startsWith('-') ? 'error' : undefined;
}

/** Undone, in doubt, taken over. Empty if there is nothing to add. */
export function changeNotes({ changes }: RunChanges): readonly string[] {
  const own = changes.filter(({ takenOver }) => takenOver === undefined);
  const made = own.filter(({ state }) => state === 'made');
  const undone = made.filter(({ undo }) => undo?.state === 'done');
  const begun = own.filter(({ undo }) => undo?.state === 'begun');
  const doubtful = own.filter(({ state, undo }) => state === 'in-doubt' && undo === undefined);
  const taken = changes.length - own.length;
  return [
    ...(undone.length === 0
      ? []
      : [undone.length === made.length ? 'All of it was undone.' : `Undone: ${named(undone)}.`]),
    ...(begun.length === 0 ? [] : ['An undo was broken off. Run cadre undo again.']),
    ...(doubtful.length === 0 ? [] : [`Whether these were made is not recorded: ${named(doubtful)}.`]),
    ...(taken === 0 ? [] : [`${taken} earlier changes were taken over from the run that this one was forked from.`]),
  ];
}

const named = (changes: RunChanges['changes']): string =>
  changes.map(({ op, path }) => `${path} (op ${op})`).join(', ');
