// Regular expressions in schemas that come from outside.

import { linearPattern, type Steps } from '../../base/schema/linear-pattern.ts';

const maxPatternLength = 1000;

/**
 * May the time it takes grow faster than the text? Says yes in doubt. A pattern is safe if it repeats at most one
 * character set, from the beginning of the text, or if it repeats nothing and chooses at most once.
 */
export function riskyPattern(source: string): boolean {
  if (/\\[1-9k]|\(\?<?[=!]/.test(source)) return true;
  const bare = source
    .replace(/\\./gs, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
    .replace(/\(\?(:|<[^>]*>)/g, '(');
  if (/\)[*+?{]/.test(bare)) return true;
  // Choices that follow each other multiply.
  if (bare.includes('|') && bare.indexOf('(') !== bare.lastIndexOf('(')) return true;
  const repeats = bare.replace(/\{\d+\}/g, '').match(/[*+?{]/g)?.length ?? 0;
  return repeats > 1 || (repeats === 1 && (!bare.startsWith('^') || bare.includes('|')));
}

/** The steps that all patterns and formats of one check may take together; set at its beginning. */
export const checkSteps: Steps = { left: 0 };

export interface PatternTest {
  /** Throws `StepsSpent`. */
  test(text: string): boolean;
  /** Ajv tells patterns apart by this. */
  toString(): string;
}

/**
 * Makes the pattern for Ajv, which asks for it with the flag `u`; patterns from other languages may only be valid
 * without.
 */
export function regExp(source: string, flags: string): PatternTest {
  if (source.length > maxPatternLength) {
    throw new Error(`a pattern has ${source.length} characters, and the limit is ${maxPatternLength}`);
  }
  const expression = lenient(source, flags);
  return riskyPattern(source) ? linear(expression) : expression;
}
regExp.code = 'regExp';

/** The same, in time that is linear in the text. */
export function linear(expression: RegExp): PatternTest {
  const pattern = linearPattern(expression.source, expression.flags.replaceAll(/[gmy]/g, ''));
  return { test: (text) => pattern.test(text, checkSteps), toString: () => expression.toString() };
}

function lenient(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return new RegExp(source);
  }
}
