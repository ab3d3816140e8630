// `*` as a reference: every other agent of the folder that has a description. It never makes a cycle: agents that lead to
// an agent with `*`, this one among them, are left out, and so are those that have `*` themselves. What is left can lead to
// no `*` again, so it does not matter in which order the files come.

import { groupedBy, reachedFrom } from '../../base/data/groups.ts';
import type { AgentName } from '../../kernel/effect.ts';
import type { ReportFinding } from '../diagnostic.ts';
import type { AgentFile } from '../read/agent-file.ts';
import type { Directory } from '../read/directory.ts';
import type { AgentKeys } from '../read/keys.ts';
import type { Edge, Links } from './link.ts';

export interface LinkedFile {
  readonly file: AgentFile;
  readonly fields: AgentKeys;
  readonly links: Links;
}

/** The same files, with the edges that `*` stands for. */
export function withWildcards(
  files: readonly LinkedFile[],
  known: Directory,
  report: ReportFinding,
): readonly LinkedFile[] {
  const starred = files.filter(({ links }) => links.wildcards.length > 0);
  if (starred.length === 0) return files;
  const leading = leadingTo(
    starred.map(({ file }) => file.name),
    files.flatMap(({ links }) => links.edges),
  );
  const offered = files.filter(
    ({ file, fields }) =>
      known.agents.get(file.name) === file && fields.description !== undefined && !leading.has(file.name),
  );
  return files.map((one) => {
    if (one.links.wildcards.length === 0) return one;
    const added = one.links.wildcards.flatMap((star): readonly Edge[] => {
      const named = new Set(one.links.edges.filter(({ kind }) => kind === star.kind).map(({ to }) => to));
      const edges = offered
        .filter(({ file }) => !named.has(file))
        .map(({ file }): Edge => ({ ...star, from: one.file, to: file, optional: true }));
      if (edges.length === 0 && named.size === 0) reportNobody(star, report);
      return edges;
    });
    return { ...one, links: { ...one.links, edges: [...one.links.edges, ...added] } };
  });
}

/** The agents from which one of these can be reached, they themselves among them. */
function leadingTo(names: readonly AgentName[], edges: readonly Edge[]): ReadonlySet<AgentName> {
  const into = groupedBy(edges, ({ to }) => to.name);
  return reachedFrom(names, (name) => (into.get(name) ?? []).map(({ from }) => from.name));
}

function reportNobody({ ref, kind }: Pick<Edge, 'ref' | 'kind'>, report: ReportFinding): void {
  report({
    code: 'ref/nobody',
    severity: 'warning',
    source: ref.source,
    at: ref,
    message: `"*" under \`${kind}\` stands for no agent`,
    help: 'It means every other agent with a description that does not lead to an agent with "*". Name those you mean.',
  });
}
