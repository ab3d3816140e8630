// Regular expressions in schemas that somebody else wrote.

const maxPatternLength = 1000;
const maxCheckedLength = 64 * 1024;

/** A value that is too long to be tried against a pattern that may backtrack. */
export class PatternTooLong extends Error {}

/**
 * May the time it takes grow faster than the text? Says yes in doubt. Safe are patterns that repeat at most one single
 * character set, and that from the beginning of the text, or that repeat nothing.
 */
export function riskyPattern(source: string): boolean {
  if (/\\[1-9k]|\(\?<?[=!]/.test(source)) return true;
  const bare = source
    .replace(/\\./gs, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
    .replace(/\(\?(:|<[^>]*>)/g, '(');
  if (/\)[*+?{]/.test(bare)) return true;
  const repeats = bare.replace(/\{\d+\}/g, '').match(/[*+?{]/g)?.length ?? 0;
  return repeats > 1 || (repeats === 1 && (!bare.startsWith('^') || bare.includes('|')));
}

export interface PatternTest {
  test(text: string): boolean;
  toString(): string;
}

/** For Ajv, which asks for it with the flag `u`; patterns from other languages may only be valid without. */
export function regExp(source: string, flags: string): PatternTest {
  if (source.length > maxPatternLength) {
    throw new Error(`a pattern has ${source.length} characters; at most ${maxPatternLength} are taken`);
  }
  const expression = lenient(source, flags);
  if (!riskyPattern(source)) return expression;
  return {
    // Ajv tells patterns apart by this.
    toString: () => expression.toString(),
    test(text) {
      if (text.length <= maxCheckedLength) return expression.test(text);
      throw new PatternTooLong(
        `a text of ${text.length} characters is too long to be tried against the pattern "${source}"`,
      );
    },
  };
}
regExp.code = 'regExp';

function lenient(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return new RegExp(source);
  }
}
