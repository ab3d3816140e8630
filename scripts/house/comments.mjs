// Half sentences. A comment or the title of a test that opens with a free relative leaves its subject to the reader.
// test/half-sentences.test.ts holds both at none.

const OPENERS = 'What|Who|Whom|Whose|Whoever|Whatever|Whether|Which|How|Why|That which|Of';
const COMMENT = new RegExp(`^\\s*(?:\\/\\/|\\/\\*\\*?) ?(?:${OPENERS})\\b`);
const COMMENT_BEGINS = /^\s*\/\*\*?$/;
const NEXT_LINE = new RegExp(`^\\s*\\* ?(?:${OPENERS})\\b`);
const GOES_ON = /^\s*\/\//;
const TITLE = new RegExp(`\\b(?:test|it|describe)\\b.{0,60}\\(\\s*['"\`](?:${OPENERS})\\b`, 'i');

/** The lines, from 1, on which a comment opens with half a sentence. */
export function halfSentencesIn(text) {
  const lines = text.split('\n');
  const opens = (line, index) =>
    (COMMENT.test(line) && !(GOES_ON.test(line) && GOES_ON.test(lines[index - 1] ?? ''))) ||
    (COMMENT_BEGINS.test(line) && NEXT_LINE.test(lines[index + 1] ?? ''));
  return lines.flatMap((line, index) => (opens(line, index) ? [index + 1] : []));
}

/** The lines, from 1, on which the title of a test opens with half a sentence. */
export const halfTitlesIn = (text) => text.split('\n').flatMap((line, index) => (TITLE.test(line) ? [index + 1] : []));
