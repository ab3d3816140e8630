// The side of a call that a rule with brackets is compared with. A tool makes it from the arguments; here it is matched.
// COMPARE-1. A wide match is true if any reading of the call is meant, and where the call cannot be compared. `deny` and
//     `approve` match so: in doubt they hold.
// COMPARE-2. A narrow match is true only if the one plain reading is meant, of all paths. `trust` matches so.

import { mayRun } from '../base/text/command-readings.ts';
import { glob } from '../base/text/glob.ts';
import { isOfHost, mayBeOfHost } from '../base/text/host.ts';
import { isCommandOf, shellWords } from '../base/text/shell-words.ts';
import { matchesStars } from '../base/text/star-text.ts';
import { argumentPattern, type CallRule } from './call-rule.ts';

export type ComparedCall =
  | { readonly kind: 'command'; readonly command: string }
  /** Undefined: it is not an address. */
  | { readonly kind: 'host'; readonly url: URL | undefined }
  | {
      readonly kind: 'arguments';
      readonly arguments: unknown;
      /** The real paths in the workspace that an argument names. Undefined in the list: it is not known. */
      readonly paths?: Readonly<Record<string, readonly (string | undefined)[]>>;
      /** The disk takes names in upper and lower case for the same. */
      readonly foldsNames?: boolean;
    };

/** COMPARE-1. */
export function matchesWidely(rule: CallRule, call: ComparedCall): boolean {
  const { inBrackets } = rule;
  if (inBrackets === undefined) return true;
  switch (call.kind) {
    case 'command':
      return mayRun(inBrackets, call.command);
    case 'host':
      return call.url === undefined || mayBeOfHost(call.url, inBrackets);
    case 'arguments': {
      const meant = argumentPattern(inBrackets);
      if (meant === undefined) return true;
      const { argument, pattern } = meant;
      if (rule.onlyIfGiven === true && !isGiven(call.arguments, argument)) return false;
      const paths = call.paths?.[argument];
      if (paths !== undefined)
        return paths.some((path) => path === undefined || isPathOf(pattern, path, call.foldsNames === true));
      const text = plainText(call.arguments, argument);
      return text === undefined || readingsOf(text).some((one) => matchesStars(pattern, one));
    }
  }
}

/** COMPARE-2. */
export function matchesNarrowly({ inBrackets }: CallRule, call: ComparedCall): boolean {
  if (inBrackets === undefined) return true;
  switch (call.kind) {
    case 'command':
      return isCommandOf([inBrackets], call.command);
    case 'host':
      return call.url !== undefined && isOfHost(call.url, inBrackets);
    case 'arguments': {
      const { argument, pattern } = argumentPattern(inBrackets) ?? {};
      if (argument === undefined || pattern === undefined) return false;
      const paths = call.paths?.[argument];
      if (paths !== undefined)
        return paths.length > 0 && paths.every((path) => path !== undefined && glob(pattern).matches(path));
      const text = plainText(call.arguments, argument);
      return text !== undefined && matchesStars(pattern, text, (part) => !ENDS_A_VALUE.test(part));
    }
  }
}

/** The reason why a call cannot be compared with what stands in brackets, if there is one. */
export function doubtAbout({ inBrackets }: CallRule, call: ComparedCall): string | undefined {
  if (inBrackets === undefined) return undefined;
  switch (call.kind) {
    case 'command': {
      const parsed = shellWords(call.command);
      return 'problem' in parsed ? `it is not one plain command: ${parsed.problem}` : undefined;
    }
    case 'host':
      return call.url === undefined ? 'it names no address of the web' : undefined;
    case 'arguments': {
      const { argument = '' } = argumentPattern(inBrackets) ?? {};
      const paths = call.paths?.[argument];
      if (paths !== undefined) return paths.includes(undefined) ? 'its path is none of the workspace' : undefined;
      if (plainText(call.arguments, argument) !== undefined) return undefined;
      return isGiven(call.arguments, argument)
        ? `its argument "${argument}" is not a plain value`
        : `its argument "${argument}" is missing`;
    }
  }
}

/** No `*` in a `trust` stands for these: they end a value, or are not seen. */
const ENDS_A_VALUE = /[\s,;\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?![\t\n\r])\p{Cc}/gu;

/** A text as it is, and as most programs take it: without what nobody sees, and without blanks around it. */
function readingsOf(text: string): readonly string[] {
  const seen = text.replaceAll(UNSEEN, '');
  return [text, seen, seen.trim()];
}

const isGiven = (given: unknown, argument: string): boolean =>
  typeof given === 'object' && given !== null && Object.hasOwn(given, argument);

/** Text as it is, numbers and booleans as JSON. Undefined: it is missing, or is none of these. */
function plainText(given: unknown, argument: string): string | undefined {
  const value = isGiven(given, argument) ? (given as Readonly<Record<string, unknown>>)[argument] : undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : undefined;
}

function isPathOf(pattern: string, path: string, folds: boolean): boolean {
  const same = (text: string): string => (folds ? text.normalize('NFC').toLowerCase() : text.normalize('NFC'));
  return glob(same(pattern)).matches(same(path));
}
