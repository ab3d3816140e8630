// Finds the lines of a text that a query matches. A regular expression comes from a model and is not trusted: its
// length and that of the lines it sees are capped, it is matched in one pass, and its steps on one file are counted.

import { type LinearPattern, linearPattern, type Steps, StepsSpent } from '../../base/schema/linear-pattern.ts';
import { fail } from '../../kernel/fault.ts';
import { linesOf } from './text.ts';

export interface LineMatch {
  /** The number of the line, from 1. */
  readonly line: number;
  readonly text: string;
  /** The place in the line where it begins, or with a regular expression where it ends. */
  readonly at: number;
}

/** Throws a fault for the model when it gives up; `name` is what the message calls the text. */
export type Matcher = (text: string, name: string) => readonly LineMatch[];

const maxPatternLength = 500;
const maxLineLength = 10_000;
const stepsPerFile = 1_000_000;
const stepsPerLetter = 4;

/** Finds a literal text. If the query has no capitals, capitals in the text do not matter. */
export function literalMatcher(query: string): Matcher {
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
      `The regular expression has ${source.length} characters, and the limit is ${maxPatternLength}.`,
    );
  }
  const expression = compile(source);
  return (text, name) => {
    const steps: Steps = { left: stepsPerFile + stepsPerLetter * text.length };
    try {
      return linesOf(text).flatMap((line, index) => {
        const at = expression.endIn(line.slice(0, maxLineLength), steps);
        return at === undefined ? [] : [{ line: index + 1, text: line, at }];
      });
    } catch (thrown) {
      if (!(thrown instanceof StepsSpent)) throw thrown;
      return fail('tool/failed', `The regular expression takes too long on ${name}. Use a simpler one, or plain text.`);
    }
  };
}

function compile(source: string): LinearPattern {
  try {
    return linearPattern(source, 'u');
  } catch (thrown) {
    const why = (thrown as Error).message;
    return fail('tool/failed', `${why}. Fix it, or leave out "regex" to search for it as plain text.`);
  }
}
