// A person's verdict in words, the same on every surface: what it was, and whose.

import { escapeUnseen } from '../base/text/escape-unseen.ts';
import type { Verdict } from './effect.ts';
import { personWord } from './person-words.ts';

export const verdictWord = ({ approved, answer }: Verdict): 'approved' | 'denied' | 'answered' =>
  answer !== undefined ? 'answered' : approved ? 'approved' : 'denied';

/** *approved by ada (It is cheap.)*, on one line on which nothing is hidden. `you`: the names that the reader goes by. */
export function verdictText(verdict: Verdict, you?: readonly string[]): string {
  const why = verdict.note === undefined ? '' : ` (${escapeUnseen(verdict.note.replaceAll(/\s+/g, ' ').trim())})`;
  return whoDecided(verdict, you) + why;
}

function whoDecided(verdict: Verdict, you?: readonly string[]): string {
  const { by } = verdict;
  return `${verdictWord(verdict)}${by === undefined ? '' : ` by ${personWord(by, you)}`}`;
}

/** The people behind verdicts, each once: `approved by ada`. Verdicts that nobody gave are left out. */
export const verdictsBy = (verdicts: Iterable<Verdict>): readonly string[] => [
  ...new Set([...verdicts].filter(({ by }) => by !== undefined).map((verdict) => whoDecided(verdict))),
];
