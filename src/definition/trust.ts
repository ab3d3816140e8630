// An entry of `trust`: what runs without asking, of what asks by default. It names a source or a tool of the agent, and
// may say in brackets which calls of it are meant: `shell(npm test)`.

export interface TrustEntry {
  /** The entry as written. */
  readonly entry: string;
  /** The source or tool. */
  readonly name: string;
  /** The calls that are meant. Absent: all of them. */
  readonly inBrackets?: string;
}

/** Undefined if it is not of one of the two forms. */
export function parseTrust(entry: string): TrustEntry | undefined {
  const [, name = '', , inBrackets] = /^([^()\s]+)(\(([^]*)\))?$/.exec(entry) ?? [];
  if (name === '') return undefined;
  return inBrackets === undefined ? { entry, name } : { entry, name, inBrackets };
}
