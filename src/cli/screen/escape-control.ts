// Removes what is harmful from outside text before it is shown. A terminal acts on escape sequences and control
// characters, some characters reorder or hide others, and a CI service takes some lines for commands. The time is
// linear in the length of the text.

/**
 * Whole escape sequences, so that their letters do not stay behind; CSI also in its 8-bit form. Strings such as a title
 * (OSC) lose only what begins and ends them: what a model has read, a person must be able to read too.
 */
const SEQUENCE = new RegExp(String.raw`(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b[ -/]{0,8}[0-~]`, 'g');

/**
 * Format characters that show nothing themselves: they turn the direction of text, or hide it. The two joiners stay,
 * because they make letters and emoji; so do signs that stand before a number and can be seen.
 */
const UNSEEN = String.raw`[^\P{Cf}\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u{13430}-\u{1343f}]`;

const HARMFUL = new RegExp(String.raw`[^\P{Cc}\n\t]|[\u2028\u2029]|${UNSEEN}`, 'u');
const CONTROL = new RegExp(String.raw`[^\P{Cc}\n\t]|${UNSEEN}`, 'gu');
const NOT_FOR_JSON = new RegExp(String.raw`[\u007f-\u009f\u2028\u2029]|${UNSEEN}`, 'gu');

/** The text without escape sequences, control characters and invisible characters. Line breaks and tabs stay. */
export function escapeControl(text: string): string {
  if (!HARMFUL.test(text)) return text;
  return text
    .replaceAll(SEQUENCE, '')
    .replaceAll('\r\n', '\n')
    .replaceAll(/[\u2028\u2029]/g, ' ')
    .replaceAll(CONTROL, '');
}

/** The same JSON, with escapes for what `escapeControl` would remove, because JSON itself escapes only some of it. */
export const escapeControlJson = (json: string): string => json.replaceAll(NOT_FOR_JSON, escaped);

/** One escape for each half of a character that takes two. */
function escaped(character: string): string {
  let escapes = '';
  for (let at = 0; at < character.length; at++) {
    escapes += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escapes;
}

// GitHub and compatible services read a command where a line begins with `::`, after any spaces, and wherever `##[`
// stands; others read `##vso[` and `##teamcity[`.
const COMMAND_LINE = /^([\t\v\f \x85\xa0\u1680\u2000-\u200d\u202f\u205f\u3000\ufeff]*)::/gm;
const COMMAND_MARK = /##(?=(?:vso|teamcity)?\[)/g;

/** The text with a backslash where a CI service would read a command. */
export const withoutCommands = (text: string): string =>
  text.replaceAll(COMMAND_LINE, '$1\\::').replaceAll(COMMAND_MARK, '##\\');

/** The same JSON, in which no CI service finds a command. No line of JSON begins with colons. */
export const withoutCommandsJson = (json: string): string => json.replaceAll(COMMAND_MARK, '#\\u0023');
