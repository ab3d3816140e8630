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

export class Family {
  readonly #members: FamilyMember[] = [];
  readonly #labels = new Set<string>();
  /** True if no run was at work when the session last looked, and none was spawned since. */
  atRest = true;

  members(): readonly FamilyMember[] {
    return this.#members;
  }

  /** The contexts that its members got, in the order of spawning. */
  gifts(): readonly Gift[] {
    return [...new Set(this.#members.map(({ gift }) => gift).filter((gift) => gift !== undefined))];
  }

  add(member: FamilyMember): void {
    this.#members.push(member);
    this.#labels.add(member.label);
    this.atRest = false;
  }

  /** Finds members by run id, label, group id, or the label of a whole group. */
  find(name: string): NamedMembers {
    const exact = this.#members.filter(({ run, label }) => run === name || label === name);
    if (exact.length === 1) return { members: exact };
    if (exact.length > 1) {
      const ids = exact.map(({ run }) => run).join(', ');
      return {
        error: `${JSON.stringify(name)} is ambiguous: ${exact.length} runs have this label. Use a run id: ${ids}.`,
      };
    }
    const group = this.#members.filter((member) => member.group === name || member.groupLabel === name);
    return group.length > 0 ? { members: group } : { error: unknown(name, this.#labels) };
  }

  /** Also by the beginning of a label, if only one run has it. */
  findBeginning(name: string): NamedMembers {
    const found = this.find(name);
    if ('members' in found || this.#labels.has(name)) return found;
    const meant = this.#members.filter(({ label }) => label.startsWith(name));
    if (meant.length === 0) return found;
    return meant.length === 1 ? { members: meant } : { error: several(name, meant) };
  }

  /** A label that no run has yet. */
  freeLabel(base: string): string {
    let number = 1;
    while (this.#labels.has(`${base}-${number}`)) number += 1;
    return `${base}-${number}`;
  }
}

const several = (name: string, meant: readonly FamilyMember[]): string =>
  `${JSON.stringify(name)} is ambiguous: the labels of ${meant.length} runs begin with it: ` +
  `${[...new Set(meant.map(({ label }) => label))].join(', ')}. Write the whole label.`;

const unknown = (name: string, labels: ReadonlySet<string>): string =>
  `There is no run ${JSON.stringify(name.slice(0, 120))} in this family. ` +
  (labels.size === 0 ? 'None was spawned yet.' : `Known labels: ${[...labels].join(', ')}.`);
