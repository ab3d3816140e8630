// The restrictions that the file of another tool puts on its agent, and what becomes of its rights under them.
// RIGHTS-1. A right is one of our tools (`files:write`, `mcp:server/tool`), `spawn`, or `agent:<name>`.
// RIGHTS-2. What a restriction concerns is denied where an entry of `deny` says the same or more, and else left out whole:
//     an entry that nobody can read may mean anything. No restriction adds a right.

import { sourceAsks } from '../built-in-tools.ts';
import type { ImportNote } from './note.ts';

export interface Restriction {
  /** The words of the file. */
  readonly what: string;
  /** True if it takes this right away. */
  takes(right: string): boolean;
  /** Entries of `deny` that hold what it takes of rights that stay. */
  readonly rules?: readonly string[];
  /** True if it lets this right be used only with a person's yes. */
  asks?(right: string): boolean;
  /** It is held to the letter: nobody needs to be told. */
  readonly isExact?: true;
}

export type Takes = Restriction['takes'];

export const TAKES_ALL: Takes = () => true;
export const TAKES_NONE: Takes = () => false;
export const keepsOnly =
  (...rights: readonly string[]): Takes =>
  (right) =>
    !rights.includes(right);
export const ALL_THAT_ACTS = keepsOnly('files', 'person');
export const anyOf =
  (each: readonly Takes[]): Takes =>
  (right) =>
    each.some((takes) => takes(right));

/** A restriction that nobody here can read. */
export const unreadable = (what: string): Restriction => ({ what, takes: ALL_THAT_ACTS });

const OWN_SOURCES: readonly string[] = ['files', 'files:write', 'shell', 'web', 'person'];

/** RIGHTS-2. */
export function settledRights(
  given: Iterable<string>,
  restrictions: readonly Restriction[],
): {
  readonly rights: readonly string[];
  readonly deny: readonly string[];
  readonly approve: readonly string[];
  readonly notes: readonly ImportNote[];
} {
  const all = [...given];
  const isTaken = (right: string): boolean => restrictions.some(({ takes }) => takes(right));
  const rights = all.filter((right) => !isTaken(right));
  const whole = OWN_SOURCES.filter(isTaken);
  const rules = restrictions.flatMap((one) => one.rules ?? []);
  const approve = rights.filter((right) => !sourceAsks(right) && right !== 'person' && isAsked(right, restrictions));
  return {
    rights,
    deny: [...new Set([...whole, ...rules.filter((rule) => isOfKept(rule, whole, rights))])],
    approve,
    notes: restrictions.flatMap((one) => noteOf(one, all)),
  };
}

const isAsked = (right: string, restrictions: readonly Restriction[]): boolean =>
  restrictions.some(({ asks }) => asks?.(right) === true);

/** A rule for a source that is denied whole says nothing more, and one for a server that it does not have is about nothing. */
function isOfKept(rule: string, whole: readonly string[], rights: readonly string[]): boolean {
  if (rule.startsWith('mcp:')) return rights.some((right) => rule.startsWith(`${right}/`));
  const [named = ''] = /^[^(]+/.exec(rule) ?? [];
  const source = SOURCE_OF_TOOL[named] ?? named;
  return !whole.includes(source);
}

const SOURCE_OF_TOOL: Readonly<Record<string, string>> = { read_file: 'files', search_files: 'files' };

function noteOf({ what, takes, rules = [], isExact }: Restriction, all: readonly string[]): readonly ImportNote[] {
  if (isExact) return [];
  if (rules.length > 0)
    return [{ kind: 'lost', what, why: `more is denied here: ${rules.join(', ')}`, about: 'restriction' }];
  const taken = all.filter(takes);
  const why =
    taken.length === 0
      ? 'nothing that it has here is concerned'
      : `it cannot be held in part here, so these are left out: ${taken.join(', ')}`;
  return [{ kind: 'lost', what, why, about: 'restriction' }];
}
