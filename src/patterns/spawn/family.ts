// The runs that one session has spawned, by the names that the session may use for them. It is filled from recorded
// receipts in the order of the calls, so that a name means the same in every replay.

import type { SharedContext, SpawnId } from '../../kernel/spawned.ts';

export interface FamilyMember {
  readonly run: SpawnId;
  readonly label: string;
  readonly group: string;
  /** The label of its whole list. */
  readonly groupLabel?: string;
  /** The context that it got under `sharedContext`; the same object for all of a list. */
  readonly gift?: Gift;
}

/** A context under `sharedContext`: keys with their values, and keys with the run whose result they take in. */
export interface Gift {
  readonly own: SharedContext;
  readonly references: ReadonlyMap<string, FamilyMember>;
  /** True if a result that is a failure was given as well. */
  readonly withFailures: boolean;
}

export type NamedMembers = { readonly members: readonly FamilyMember[] } | { readonly error: string };

export interface Family {
  members(): readonly FamilyMember[];
  /** The contexts that its members got, in the order of spawning. */
  gifts(): readonly Gift[];
  add(member: FamilyMember): void;
  /** Finds members by run id, label, group id, or the label of a whole group. */
  find(name: string): NamedMembers;
  /** Also by the beginning of a label, if only one run has it. */
  findBeginning(name: string): NamedMembers;
  /** A label that no run has yet. */
  freeLabel(base: string): string;
  /** True if no run was at work when the session last looked, and none was spawned since. */
  atRest: boolean;
}

export function openFamily(): Family {
  const members: FamilyMember[] = [];
  const labels = new Set<string>();
  const family: Family = {
    atRest: true,
    members: () => members,
    gifts: () => [...new Set(members.map(({ gift }) => gift).filter((gift) => gift !== undefined))],
    add(member) {
      members.push(member);
      labels.add(member.label);
      family.atRest = false;
    },
    find(name) {
      const exact = members.filter(({ run, label }) => run === name || label === name);
      if (exact.length === 1) return { members: exact };
      if (exact.length > 1) {
        const ids = exact.map(({ run }) => run).join(', ');
        return {
          error: `${JSON.stringify(name)} is ambiguous: ${exact.length} runs have this label. Use a run id: ${ids}.`,
        };
      }
      const group = members.filter((member) => member.group === name || member.groupLabel === name);
      return group.length > 0 ? { members: group } : { error: unknown(name, labels) };
    },
    findBeginning(name) {
      const found = family.find(name);
      if ('members' in found || labels.has(name)) return found;
      const meant = members.filter(({ label }) => label.startsWith(name));
      if (meant.length === 0) return found;
      return meant.length === 1 ? { members: meant } : { error: several(name, meant) };
    },
    freeLabel(base) {
      let number = 1;
      while (labels.has(`${base}-${number}`)) number += 1;
      return `${base}-${number}`;
    },
  };
  return family;
}

const several = (name: string, meant: readonly FamilyMember[]): string =>
  `${JSON.stringify(name)} is ambiguous: the labels of ${meant.length} runs begin with it: ` +
  `${[...new Set(meant.map(({ label }) => label))].join(', ')}. Write the whole label.`;

const unknown = (name: string, labels: ReadonlySet<string>): string =>
  `There is no run ${JSON.stringify(name.slice(0, 120))} in this family. ` +
  (labels.size === 0 ? 'None was spawned yet.' : `Known labels: ${[...labels].join(', ')}.`);
