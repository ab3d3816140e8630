// The sign-in that an MCP server wants: the fault by which its source says so, and the question to a person. It waits at
// the same kind of op as an approval. A yes says that it was done, or that it is worth another try.

import { type Fault, fault } from './fault.ts';

export interface WantedSignIn {
  /** The key in `mcpServers`. */
  readonly server: string;
  /** Its address, without what may be a key. */
  readonly url: string;
  /** A sentence. */
  readonly why: string;
  /** Those that it asked for, beyond what was granted. */
  readonly scopes?: readonly string[];
}

/** `about` of the approval. */
interface AskedSignIn extends WantedSignIn {
  readonly kind: 'sign-in';
}

export const signInCommand = ({ server, scopes = [] }: Pick<WantedSignIn, 'server' | 'scopes'>): string =>
  ['cadre sign-in', server, ...scopes.map((scope) => `--scope ${scope}`)].join(' ');

export const signInPrompt = ({ server }: WantedSignIn): string => `The MCP server "${server}" wants a sign-in`;

/** The fault of the source. */
export const signInFault = (wanted: WantedSignIn): Fault =>
  fault('tool/source', `${signInPrompt(wanted)}. ${wanted.why} Sign in with: ${signInCommand(wanted)}`, {
    signIn: wanted,
  });

/** Undefined for any other fault. */
export const signInOf = ({ details }: Fault): WantedSignIn | undefined =>
  (details as { readonly signIn?: WantedSignIn } | undefined)?.signIn;

export const askedAboutSignIn = (wanted: WantedSignIn): AskedSignIn => ({ kind: 'sign-in', ...wanted });

/** `about` comes from a record, so it may be anything. */
export function signInIn(about: unknown): WantedSignIn | undefined {
  const { kind, ...wanted } = (about ?? {}) as Partial<AskedSignIn>;
  return kind === 'sign-in' && typeof wanted.server === 'string' ? (wanted as WantedSignIn) : undefined;
}
