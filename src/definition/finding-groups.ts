// Findings of one kind in many files are one thing to fix: they are shown once, with their number and some places.

import { groupedBy } from '../base/data/groups.ts';

/** The text of a finding, and its kind. */
interface GroupableFinding {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
}

/** Up to this many findings of one kind are shown one by one. */
const SHOWN_SINGLY = 3;

/** Groups findings, in the order of the first of each group. */
export function groupedFindings<Finding extends GroupableFinding>(
  findings: readonly Finding[],
): readonly {
  readonly first: Finding;
  /** The others of the same kind, in order. Empty where there are too few to be put together. */
  readonly others: readonly Finding[];
}[] {
  const kinds = groupedBy(findings, kindOf);
  const shown = new Set<string>();
  return findings.flatMap((one) => {
    const kind = kindOf(one);
    const all = kinds.get(kind)!;
    if (new Set(all.map(({ file }) => file)).size <= SHOWN_SINGLY) return [{ first: one, others: [] }];
    if (shown.has(kind)) return [];
    shown.add(kind);
    return [{ first: one, others: all.slice(1) }];
  });
}

/** The code and what it says, without the name of the agent or of the file that it says it of. */
function kindOf({ severity, code, message, file }: GroupableFinding): string {
  const name = basename(file).replace(/\.md$/, '');
  // These begin with the name of the agent, which need not be that of its file.
  if (/^(?:model|description)\/missing$/.test(code)) return `${severity} ${code} ${message.replace(/^"[^"]*"/, '')}`;
  return `${severity} ${code} ${message.replaceAll(file, '').replaceAll(`"${name}"`, '')}`;
}

const PLACES = 4;

/** `+ 148 more of this kind: b.md:3, c.md:3 …` */
export function othersText(others: readonly GroupableFinding[], pathOf: (file: string) => string): string {
  const places = others.slice(0, PLACES).map(({ file, line }) => `${pathOf(file)}:${line}`);
  const more = others.length > PLACES ? ` and ${others.length - PLACES} more` : '';
  return `  + ${others.length} more of this kind: ${places.join(', ')}${more}`;
}

/** The last part of a path with forward slashes. Nothing of Node is used here: the page reads the type of a finding. */
const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
