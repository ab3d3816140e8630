// The words of a plain command, and patterns of commands that may be run. A command is plain if every POSIX shell reads it
// as one command with exactly these words. Anything else has no words here: operators, substitutions, redirects, globs,
// escapes, assignments, comments, line breaks. So a pattern is compared with what will be run, never with its spelling.

import { isGit, wordBeyondStar } from './git-options.ts';

/** Outside quotes these mean something to a shell, at any place of a word. `^` did to the first shells. */
const MEANS_MORE = new Set(';&|<>()$`\\*?[]{}!#~^\n\r');
/** These still have a meaning within double quotes. */
const MEANS_MORE_QUOTED = new Set('$`\\!');

export function shellWords(command: string): { readonly words: readonly string[] } | { readonly problem: string } {
  const words: string[] = [];
  let word: string | undefined;
  let quote: '"' | "'" | undefined;
  /** True if any part of the first word is quoted: `"A=b"` is no assignment. */
  let isFirstQuoted = false;
  for (const character of command) {
    if (isControl(character)) return { problem: `it has the character ${codeOf(character)}` };
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else if (quote === '"' && MEANS_MORE_QUOTED.has(character))
        return { problem: `${character} has a meaning of its own in double quotes` };
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
      if (words.length === 0) isFirstQuoted = true;
    } else if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (MEANS_MORE.has(character)) {
      return { problem: `${character === '\n' ? 'a line break' : character} has a meaning of its own in a shell` };
    } else word = (word ?? '') + character;
  }
  if (quote !== undefined) return { problem: 'a quote is not closed' };
  if (word !== undefined) words.push(word);
  const [first] = words;
  if (first === undefined || first === '') return { problem: 'it names no command' };
  if (!isFirstQuoted && first.includes('=')) return { problem: `"${first}" sets a variable` };
  return { words };
}

/** The words as a shell reads them back, one by one: nothing in them has a meaning of its own. */
export const quotedWords = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');

/** One word as a person would write it: in quotes only where a shell needs them. */
export const shownWord = (word: string): string => (/^[\w./:@,=+-]+$/.test(word) ? word : quotedWords([word]));

/** Words that a command must have, and whether further ones may follow: `pytest *`. */
export interface CommandPattern {
  readonly words: readonly string[];
  readonly more: boolean;
}

export function commandPattern(text: string): CommandPattern | { readonly problem: string } {
  const more = /(?:^|[ \t])\*[ \t]*$/.test(text);
  const fixed = more ? text.replace(/\*[ \t]*$/, '') : text;
  if (fixed.includes('*')) return { problem: '* stands for further words, so it stands alone at the end' };
  const parsed = shellWords(fixed);
  if ('problem' in parsed) return more && fixed.trim() === '' ? { problem: 'it would allow every command' } : parsed;
  return { words: parsed.words, more };
}

export const patternProblem = (text: string): string | undefined => {
  const parsed = commandPattern(text);
  return 'problem' in parsed ? parsed.problem : undefined;
};

/** True if a command is plain and of one of these patterns. A pattern that cannot be read matches nothing. */
export function isCommandOf(patterns: readonly string[], command: string): boolean {
  const parsed = shellWords(command);
  if ('problem' in parsed) return false;
  return patterns.some((text) => {
    const pattern = commandPattern(text);
    return !('problem' in pattern) && begins(pattern, parsed.words) && beyondStar(pattern, parsed.words) === undefined;
  });
}

/** A word of a command that is of a pattern but for this word, which `*` does not stand for: an option of git that runs or writes. */
export function refusedWord(patterns: readonly string[], command: string): string | undefined {
  const parsed = shellWords(command);
  if ('problem' in parsed) return undefined;
  const near = patterns.map(commandPattern).find((one) => !('problem' in one) && begins(one, parsed.words));
  return near === undefined || 'problem' in near ? undefined : beyondStar(near, parsed.words);
}

const begins = ({ words, more }: CommandPattern, given: readonly string[]): boolean =>
  (more ? given.length >= words.length : given.length === words.length) &&
  words.every((word, index) => word === given[index]);

const beyondStar = ({ words, more }: CommandPattern, given: readonly string[]): string | undefined =>
  more && isGit(given) ? wordBeyondStar(given, words.length) : undefined;

/** Also the invisible ones that change direction or take no room: a person has to see what a command says. */
const isControl = (character: string): boolean =>
  character !== '\t' && character !== '\n' && /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(character);

const codeOf = (character: string): string => `U+${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
