// The runs that one session has spawned, by the names under which it may speak of them. Filled in the order of the
// calls, from recorded receipts, so that a name means the same on every way through the record.

import type { SpawnId } from '../../kernel/spawned.ts';

export interface Member {
  readonly run: SpawnId;
  readonly label: string;
  readonly group: string;
  /** The label that its whole list was given. */
  readonly groupLabel?: string;
}

export type Named = { readonly members: readonly Member[] } | { readonly error: string };

export interface Family {
  members(): readonly Member[];
  add(member: Member): void;
  /** By run id, label, group id, or the label of a whole group. */
  find(name: string): Named;
  /** A label that nobody has yet. */
  freeLabel(base: string): string;
  /** Whether nobody was found at work when the session last looked, with none spawned since. */
  atRest: boolean;
}

export function openFamily(): Family {
  const members: Member[] = [];
  const labels = new Set<string>();
  const family: Family = {
    atRest: true,
    members: () => members,
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
    freeLabel(base) {
      let number = 1;
      while (labels.has(`${base}-${number}`)) number += 1;
      return `${base}-${number}`;
    },
  };
  return family;
}

const unknown = (name: string, labels: ReadonlySet<string>): string =>
  `There is no run ${JSON.stringify(name.slice(0, 120))} in this family. ` +
  (labels.size === 0 ? 'None was spawned yet.' : `Known labels: ${[...labels].join(', ')}.`);
