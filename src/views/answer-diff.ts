// Two answers in pieces, those that differ marked: texts by their words, JSON objects by their values. Pure.

import { diffWordsWithSpace } from 'diff';

export interface AnswerPiece {
  readonly text: string;
  readonly differs: boolean;
}

interface Answered {
  readonly text: string;
  /** The value of an answer in JSON. */
  readonly data?: unknown;
}

/** Beyond this, comparing words takes too long: the whole differs. */
const MOST_LETTERS = 20_000;

/** Both sides, the left one first. */
export function answerPieces(
  left: Answered,
  right: Answered,
): readonly [readonly AnswerPiece[], readonly AnswerPiece[]] {
  if (isObject(left.data) && isObject(right.data))
    return [valuePieces(left.data, right.data), valuePieces(right.data, left.data)];
  const [ours, theirs] = [left.text, right.text];
  if (ours.length + theirs.length > MOST_LETTERS)
    return [[{ text: ours, differs: ours !== theirs }], [{ text: theirs, differs: ours !== theirs }]];
  const parts = diffWordsWithSpace(ours, theirs);
  const side = (without: 'added' | 'removed'): readonly AnswerPiece[] =>
    parts
      .filter((part) => !part[without])
      .map(({ value, added, removed }) => ({ text: value, differs: added || removed }));
  return [side('added'), side('removed')];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function valuePieces(
  own: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): readonly AnswerPiece[] {
  const entries = Object.entries(own);
  const lines = entries.flatMap(([key, value], index): readonly AnswerPiece[] => [
    { text: `  ${JSON.stringify(key)}: `, differs: false },
    {
      text: JSON.stringify(value, null, 2).replaceAll('\n', '\n  '),
      differs: !Object.hasOwn(other, key) || JSON.stringify(other[key]) !== JSON.stringify(value),
    },
    { text: index === entries.length - 1 ? '\n' : ',\n', differs: false },
  ]);
  return [{ text: '{\n', differs: false }, ...lines, { text: '}', differs: false }];
}
