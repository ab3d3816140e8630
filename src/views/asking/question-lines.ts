// The question to a person, as lines for every surface: the terminal, the page, heads and the API. A question of an
// agent has its own words; any other has the preview of the call, if the tool gives one, and every argument. Its lines
// are cut one by one, and characters that cannot be seen are written as escapes (ARGUMENTS-3). Pure: the
// page uses it, too.

import { escapeUnseen } from '../../base/text/escape-unseen.ts';
import { type Preview, previewOf, restWords } from '../../kernel/approval.ts';
import { type PersonQuestion, questionIn } from '../../kernel/person.ts';
import { fieldWords } from '../../kernel/server-question.ts';
import { signInCommand, signInIn, type WantedSignIn } from '../../kernel/sign-in.ts';
import { argumentsText } from './arguments-text.ts';

/** A line as it is shown. Nothing in it hides, turns text around or moves the cursor. */
export interface QuestionLine {
  readonly text: string;
  readonly tone?: LineTone;
}

/** `file`, `place`, `added` and `gone` are lines of a diff. */
export type LineTone = 'file' | 'place' | 'added' | 'gone' | 'strong' | 'faint';

/** The lines of a diff or a command that are shown, and the characters of each. */
const MOST_LINES = 400;
const LONGEST_LINE = 400;
/** A question in words and an address are shown whole: this is the longest that an agent can give. */
const LONGEST_IN_WORDS = 4000;
const HEAD = 3 / 4;

export function questionLines(about: unknown): readonly QuestionLine[] {
  const asked = questionIn(about);
  if (asked !== undefined) return personLines(asked);
  const signIn = signInIn(about);
  if (signIn !== undefined) return signInLines(signIn);
  const { arguments: given } = (about ?? {}) as { readonly arguments?: unknown };
  const preview = previewOf(about);
  const shown = argumentsText(given).split('\n').map(plain);
  return preview === undefined ? shown : [...previewLines(preview), { text: '' }, ...shown];
}

export const questionText = (about: unknown): string => linesText(questionLines(about));

/** The lines without their tones. */
export const linesText = (lines: readonly QuestionLine[]): string => lines.map(({ text }) => text).join('\n');

/** A question in words, and its options by number. */
export const personLines = ({ question, options, fields }: PersonQuestion): readonly QuestionLine[] => [
  ...linesOf(String(question), LONGEST_IN_WORDS).map(plain),
  ...(fields ?? []).map((field) => plain(`  ${shownLine(fieldWords(field), LONGEST_LINE)}`)),
  ...(Array.isArray(options) ? options : []).map((option, index) =>
    plain(`  ${index + 1}. ${shownLine(String(option), LONGEST_LINE)}`),
  ),
];

/** A sign-in is done with a command, and a yes says that it is worth another try. */
export const signInLines = ({ server, url, why, scopes }: WantedSignIn): readonly QuestionLine[] => [
  plain(shownLine(why, LONGEST_IN_WORDS)),
  { text: `$ ${shownLine(signInCommand({ server }), LONGEST_LINE)}`, tone: 'strong' },
  { text: `for ${shownLine(url, LONGEST_IN_WORDS)}`, tone: 'faint' },
  ...(scopes ?? []).map((scope): QuestionLine => ({ text: `scope ${shownLine(scope, LONGEST_LINE)}`, tone: 'faint' })),
  { text: 'All runs that wait for it go on then. A yes here tries again.', tone: 'faint' },
];

/** The lines of a preview. */
export function previewLines(preview: Preview): readonly QuestionLine[] {
  switch (preview.kind) {
    case 'diff':
      return linesOf(preview.text).map(diffLine);
    case 'command': {
      const [first = '', ...further] = linesOf(preview.command);
      return [
        { text: `$ ${first}`, tone: 'strong' },
        ...further.map((text): QuestionLine => ({ text: `  ${text}`, tone: 'strong' })),
        { text: `in ${shownLine(preview.cwd, LONGEST_LINE)}`, tone: 'faint' },
        { text: shownLine(preview.sandbox, LONGEST_LINE), tone: 'faint' },
      ];
    }
    case 'request': {
      const from = preview.from === undefined ? [] : [`redirected from ${shownLine(preview.from, LONGEST_IN_WORDS)}`];
      const reach = preview.rest?.once === true ? [`a yes covers ${restWords({ preview })}`] : [];
      return [
        { text: shownLine(`${preview.method} ${preview.url}`, LONGEST_IN_WORDS), tone: 'strong' },
        ...[...from, ...reach].map((text): QuestionLine => ({ text, tone: 'faint' })),
      ];
    }
  }
}

const plain = (text: string): QuestionLine => ({ text });

function linesOf(text: string, longest = LONGEST_LINE): readonly string[] {
  const all = text.replace(/\n$/, '').split('\n');
  if (all.length <= MOST_LINES) return all.map((one) => shownLine(one, longest));
  const head = Math.ceil(MOST_LINES * HEAD);
  const left = all.length - MOST_LINES;
  return [
    ...all.slice(0, head).map((one) => shownLine(one, longest)),
    `… ${left} of ${all.length} lines not shown here …`,
    ...all.slice(all.length - (MOST_LINES - head)).map((one) => shownLine(one, longest)),
  ];
}

/** A long line keeps its end: what counts may stand there. */
export function shownLine(text: string, longest: number = LONGEST_LINE): string {
  if (text.length <= longest) return seen(text);
  const head = Math.ceil(longest * HEAD);
  const left = text.length - longest;
  return `${seen(text.slice(0, head))} … ${left} of ${text.length} characters not shown … ${seen(text.slice(head + left))}`;
}

/** A tab is shown as an arrow, so that code can be read. */
const seen = (text: string): string => escapeUnseen(text.replaceAll('\t', '→   ').replace(/\r$/, '␍'));

const TONES: readonly (readonly [string, LineTone])[] = [
  ['---', 'file'],
  ['+++', 'file'],
  ['@@', 'place'],
  ['+', 'added'],
  ['-', 'gone'],
];

function diffLine(text: string): QuestionLine {
  const tone = TONES.find(([begin]) => text.startsWith(begin))?.[1];
  return tone === undefined ? { text } : { text, tone };
}
