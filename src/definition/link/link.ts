// Turns references in files into edges between agents. An edge keeps the reference it came
// from, so that later findings about it have a place.

import type { Pattern } from '../../patterns/record.ts';
import { type AgentFile, withoutPrefix } from '../read/agent-file.ts';
import type { Directory } from '../read/directory.ts';
import type { AgentKeys } from '../read/keys.ts';
import { type FoundRef, refsIn } from '../read/keys-forms.ts';
import type { Ref } from '../read/shape.ts';

export interface Edge {
  /** The key that it stands under. */
  readonly kind: string;
  readonly role: string;
  readonly from: AgentFile;
  readonly to: AgentFile;
  readonly ref: Ref;
  /** The path in messages: `team.members`. */
  readonly path: string;
  /** It stands in a list, where no agent is named twice. */
  readonly inList?: true;
  /** The referred agent gets the agent's own request, as text. */
  readonly getsRequest?: true;
  /** It came with many others, by `*` or a folder: where the other agent has errors, this one does without it. */
  readonly optional?: true;
}

/** An edge without its end. */
type Star = Omit<Edge, 'from' | 'to'>;

export interface Links {
  readonly edges: readonly Edge[];
  /** References to agents that are no level below: a spawned run may spawn its spawner. */
  readonly asides: readonly Edge[];
  /** The keys of patterns that hold for this file. */
  readonly written: readonly {
    readonly pattern: Pattern;
    readonly value: unknown;
  }[];
  /** The references that stand for the file's own agent. */
  readonly selves: ReadonlySet<Ref>;
  /** The references that stand for many agents: `*`. */
  readonly wildcards: readonly Star[];
}

export function link(file: AgentFile, fields: AgentKeys, known: Directory, patterns: readonly Pattern[]): Links {
  const links = { edges: [] as Edge[], asides: [] as Edge[], wildcards: [] as Star[], selves: new Set<Ref>() };
  const written = patterns.flatMap((pattern): Links['written'] => {
    const value = (fields as Readonly<Record<string, unknown>>)[pattern.key];
    return value === undefined ? [] : [{ pattern, value }];
  });
  for (const { pattern, value } of written) {
    for (const found of refsIn(pattern.keySpec.form, value, pattern.key)) linkOne(pattern.key, found);
  }
  return { ...links, written };

  function linkOne(kind: string, { ref, path, form }: FoundRef): void {
    const { role } = form;
    const isMany = form.kind === 'agents';
    const edge: Star = {
      kind,
      role,
      ref,
      path,
      ...(isMany && { inList: true }),
      ...(form.gets === 'request' && { getsRequest: true }),
    };
    if (isMany && form.isAside) links.asides.push(...asidesOf(edge, ref));
    else if (isMany && ref.text === '*') links.wildcards.push(edge);
    else if (form.kind === 'agent' && form.orSelf && isSelf(ref, file, known)) links.selves.add(ref);
    else links.edges.push(...edgesTo(edge, ref, isMany ? known.folder(ref) : undefined));
  }

  function edgesTo(edge: Star, ref: Ref, folder: readonly AgentFile[] | undefined): readonly Edge[] {
    const to = folder === undefined ? known.resolve(ref, edge.path) : undefined;
    if (to !== undefined) return [{ ...edge, from: file, to }];
    const others = (folder ?? []).filter((one) => one !== file);
    return others.map((one) => ({ ...edge, from: file, to: one, optional: true }));
  }

  /** The agent itself is among them. */
  function asidesOf(edge: Star, ref: Ref): readonly Edge[] {
    const many = ref.text === '*' ? [...known.agents.values()] : known.folder(ref);
    if (many === undefined) return edgesTo(edge, ref, undefined);
    return many.map((to) => ({ ...edge, from: file, to, optional: true }));
  }
}

/** `self`, or the file's own agent by its name. */
function isSelf(ref: Ref, file: AgentFile, known: Directory): boolean {
  return ref.text === 'self' || (withoutPrefix(ref.text) === file.name && known.agents.get(file.name) === file);
}
