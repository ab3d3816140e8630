// Text of users, agents and dependencies on its way into a text that patterns put together. A line of it that looks
// like one of the patterns' own headings gets a backslash in front: `\## ORIGINAL USER REQUEST`.
// QUOTE-1. Every heading that patterns write is reserved here, and nothing that they do not write.
// QUOTE-2. Quoting what was quoted changes nothing, so a text collects no backslashes on its way.
// QUOTE-3. Text is cut first and quoted then, because a cut may turn the end of a line into a heading.

const NAME = '[a-z][a-z0-9_-]{0,63}';
const OUTCOME = 'answered|routed|left|exhausted|over-budget|timed-out|cancelled|failed|skipped';

/** Each matches from the beginning of a line; those that end in `$` match the whole line. */
const HEADINGS: readonly string[] = [
  '## ORIGINAL USER REQUEST$',
  '## MESSAGE FROM AGENT ',
  '## ANSWER FROM AGENT ',
  '## ANALYSIS GATHERED$',
  `### From ${NAME}$`,
  '## FEEDBACK, ROUND \\d+ OF \\d+$',
  '## YOUR LAST ANSWER$',
  '## WORK SO FAR$',
  '## ITEM \\d+ OF \\d+$',
  '### \\d+ of \\d+:',
  '## CLARIFICATION REQUEST FROM ',
  '## THE TEAM$',
  '## HOW YOU WORK TOGETHER$',
  '## CHARTER$',
  '## YOUR PART$',
  '### Broadcast \\d+ from ',
  '## SPAWNED RUN ',
  '\\[Previous step result\\]:',
  '\\[Current task\\]:',
  '\\[Shared Context\\]:',
  `outcome: (?:${OUTCOME})$`,
  '\\*\\*Clarification\\*\\*: id ',
];

const RESERVED = new RegExp(`^(?:${HEADINGS.join('|')})`);
/** Everything that a reader may take for the end of a line. */
const LINE_ENDS = '\\n\\r\\v\\f\\u0085\\u2028\\u2029';
const LINE = new RegExp(`[^${LINE_ENDS}]+`, 'g');
/**
 * The possible beginnings of a heading line. Most texts have no such line, and one test on the whole text shows that.
 */
const CANDIDATE = new RegExp(`(?:^|[${LINE_ENDS}])(?:(?![${LINE_ENDS}])[\\s\\p{Cf}])*[#[*o]`, 'u');
const INVISIBLE = /\p{Cf}+/gu;

/** The line as a reader sees it, without invisible characters, extra blanks and the marks that may close a heading. */
const seen = (line: string): string => line.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim().replace(/ #+$/, '');

/** Puts a backslash before every line that is `reserved`. */
export const escapeLines =
  (reserved: RegExp) =>
  (text: string): string =>
    CANDIDATE.test(text)
      ? text.replace(LINE, (line) => (CANDIDATE.test(line) && reserved.test(seen(line)) ? `\\${line}` : line))
      : text;

export const quoteText = escapeLines(RESERVED);

/** The same JSON, with the characters escaped that JSON allows in a string and a reader may take for a line end. */
export const unbroken = (json: string): string =>
  json.replace(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A value as JSON on one line, whichever characters a reader takes for a line end. */
export const jsonLine = (value: unknown): string => unbroken(JSON.stringify(value));
