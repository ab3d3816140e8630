// Shows what a call would do to the person who is asked about it: a diff or a command, as the record has it. Its lines
// are cut one by one, and what cannot be seen is written as an escape (A3 of approval-text.ts).

import { type Preview, previewOf } from '../../kernel/approval.ts';
import { type PersonQuestion, questionIn } from '../../kernel/person.ts';
import type { Paint, Tone } from '../screen/terminal.ts';
import { approvalText, visible } from './approval-text.ts';

/** How many lines of a diff or a command are shown, and characters of each. */
const MOST_LINES = 400;
const LONGEST_LINE = 400;
const HEAD = 3 / 4;

/** The whole question: of ask_person in its words; else what a call would do, if the tool says so, and every argument. */
export function questionText(about: unknown, paint: Paint): string {
  const asked = questionIn(about);
  if (asked !== undefined) return personText(asked);
  const { arguments: given } = (about ?? {}) as { readonly arguments?: unknown };
  const preview = previewOf(about);
  const shown = approvalText(given);
  return preview === undefined ? shown : `${previewText(preview, paint)}\n\n${shown}`;
}

/** A question in words, and its options by number. */
export const personText = ({ question, options = [] }: PersonQuestion): string =>
  [...linesOf(String(question)), ...options.map((option, index) => `  ${index + 1}. ${line(String(option))}`)].join(
    '\n',
  );

function previewText(preview: Preview, paint: Paint): string {
  switch (preview.kind) {
    case 'diff':
      return linesOf(preview.text)
        .map((line) => diffLine(line, paint))
        .join('\n');
    case 'command': {
      const [first = '', ...further] = linesOf(preview.command);
      return [
        paint('strong', `$ ${first}`),
        ...further.map((line) => paint('strong', `  ${line}`)),
        paint('faint', `in ${line(preview.cwd)}`),
        paint('faint', line(preview.sandbox)),
      ].join('\n');
    }
  }
}

function linesOf(text: string): readonly string[] {
  const all = text.replace(/\n$/, '').split('\n');
  if (all.length <= MOST_LINES) return all.map(line);
  const head = Math.ceil(MOST_LINES * HEAD);
  const left = all.length - MOST_LINES;
  return [
    ...all.slice(0, head).map(line),
    `… ${left} of ${all.length} lines not shown here …`,
    ...all.slice(all.length - (MOST_LINES - head)).map(line),
  ];
}

/** A tab is shown as an arrow, so that code can be read. */
function line(text: string): string {
  const seen = visible(text.replaceAll('\t', '→   ').replace(/\r$/, '␍'));
  if (seen.length <= LONGEST_LINE) return seen;
  return `${seen.slice(0, LONGEST_LINE)} … ${seen.length - LONGEST_LINE} characters not shown …`;
}

const TONES: readonly (readonly [string, Tone])[] = [
  ['---', 'strong'],
  ['+++', 'strong'],
  ['@@', 'accent'],
  ['+', 'good'],
  ['-', 'error'],
];

function diffLine(text: string, paint: Paint): string {
  const tone = TONES.find(([begin]) => text.startsWith(begin))?.[1];
  return tone === undefined ? text : paint(tone, text);
}
