// The one form of an entry of `approve`, `trust` and `deny`: a source or a tool, and in brackets which calls of it are
// meant. What the brackets mean is said by the tool (`ComparedCall`).

export interface CallRule {
  /** The entry as written. */
  readonly entry: string;
  /** The source or tool. `mcp:x/*` is the source `mcp:x`. */
  readonly name: string;
  /** The calls that are meant. Absent: all of them. */
  readonly inBrackets?: string;
  /** Holds only for calls that have the argument in the brackets. */
  readonly onlyIfGiven?: true;
}

/** Undefined if it is not of the form. */
export function parseCallRule(entry: string): CallRule | undefined {
  const [, written = '', , inBrackets] = /^([^()\s]+)(\(([^]*)\))?$/.exec(entry) ?? [];
  const name = written.replace(/(?<=.)\/\*$/, '');
  if (name === '' || name.includes('*')) return undefined;
  return inBrackets === undefined ? { entry, name } : { entry, name, inBrackets };
}

export const parseCallRules = (entries: readonly string[]): readonly CallRule[] =>
  entries.flatMap((entry) => parseCallRule(entry) ?? []);

/** `path=src/**` */
export function argumentPattern(
  inBrackets: string,
): { readonly argument: string; readonly pattern: string } | undefined {
  const at = inBrackets.indexOf('=');
  const argument = inBrackets.slice(0, Math.max(0, at)).trim();
  return argument === '' ? undefined : { argument, pattern: inBrackets.slice(at + 1) };
}
