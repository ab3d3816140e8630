// The question to a person, in the colours of a terminal.

import type { LineTone, QuestionLine } from '../../views/asking/question-lines.ts';
import type { Paint, TextTone } from '../screen/terminal.ts';

const TONES: Readonly<Record<LineTone, TextTone>> = {
  file: 'strong',
  place: 'accent',
  added: 'good',
  gone: 'error',
  strong: 'strong',
  faint: 'faint',
};

export const paintedLines = (lines: readonly QuestionLine[], paint: Paint): readonly string[] =>
  lines.map(({ text, tone }) => (tone === undefined ? text : paint(TONES[tone], text)));
