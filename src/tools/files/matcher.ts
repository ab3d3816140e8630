// Finds the lines of a text that a query matches. A regular expression comes from a model and is not trusted: its
// length and that of the lines it sees are capped, and it is ended when it takes too long on one file.

import { fail } from '../../kernel/fault.ts';
import { interruptible } from '../interruptible.ts';
import { linesOf } from './text.ts';

export interface Match {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** Where in the line it begins. */
  readonly at: number;
}

/** Throws a fault for the model when it must give up; `name` is what the message calls the text. */
export type Matcher = (text: string, name: string) => readonly Match[];

const maxPatternLength = 500;
const maxLineLength = 10_000;
const patternMilliseconds = 100;

/** Without capitals in the query, capitals in the text do not matter. */
export function literal(query: string): Matcher {
  const fold = query === query.toLowerCase() ? (text: string) => text.toLowerCase() : (text: string) => text;
  return (text) => {
    if (!fold(text).includes(query)) return [];
    return linesOf(text).flatMap((line, index) => {
      const at = fold(line).indexOf(query);
      return at < 0 ? [] : [{ line: index + 1, text: line, at }];
    });
  };
}

export function pattern(source: string): Matcher {
  if (source.length > maxPatternLength) {
    fail(
      'tool/failed',
      `The regular expression has ${source.length} characters; at most ${maxPatternLength} are taken.`,
    );
  }
  const expression = compile(source);
  return (text, name) => {
    const found = interruptible(patternMilliseconds, () =>
      linesOf(text).flatMap((line, index) => {
        const at = line.slice(0, maxLineLength).search(expression);
        return at < 0 ? [] : [{ line: index + 1, text: line, at }];
      }),
    );
    if (found.done) return found.value;
    return fail('tool/failed', `The regular expression takes too long on ${name}. Use a simpler one, or plain text.`);
  };
}

function compile(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return fail('tool/failed', `${thrown.message}. Mend it, or leave out "regex" to search for it as plain text.`);
  }
}
