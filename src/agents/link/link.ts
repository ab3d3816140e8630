// Turns references in files into edges between agents. An edge keeps the reference it came
// from, so that later findings about it have a place.

import type { Use } from '../../patterns/record.ts';
import { linked, type WrittenPattern } from '../keys-forms.ts';
import { type AgentFile, withoutPrefix } from '../read/agent-file.ts';
import type { Directory } from '../read/directory.ts';
import type { Fields } from '../read/keys.ts';
import type { ChainRefs } from '../read/keys-chain.ts';
import type { Ref } from '../read/shape.ts';

export interface Edge {
  /** The key that it stands under. */
  readonly kind: string;
  readonly role: string;
  readonly from: AgentFile;
  readonly to: AgentFile;
  readonly ref: Ref;
  /** For `stage` and `else`: which stage of the chain, from 0. */
  readonly stage?: number;
  /** The referred agent gets the agent's own request, as text. */
  readonly getsRequest?: true;
  /** It came with many others, by `*` or a folder: where the other agent has errors, this one does without it. */
  readonly optional?: true;
}

/** An agent that may be spawned. */
export interface Spawnable {
  readonly to: AgentFile;
  /** Where the file names it. */
  readonly ref?: Ref;
  readonly optional?: true;
}

export interface Links {
  readonly edges: readonly Edge[];
  /** The agents that may be spawned, where the file names them. Not edges: a spawned run may spawn its spawner. */
  readonly spawnable: readonly Spawnable[];
  /** The file's own agent supervises its team. */
  readonly supervisesItself: boolean;
  /** What the file says of the patterns that describe their key in their record. */
  readonly uses: readonly Use[];
  /** The references that stand for everyone: `*`. */
  readonly everyone: readonly Pick<Edge, 'kind' | 'role' | 'ref' | 'getsRequest'>[];
  /** Keys with a reference that could not be resolved; what depends on them is not judged. */
  readonly broken: ReadonlySet<string>;
}

export function link(file: AgentFile, fields: Fields, known: Directory, patterns: readonly WrittenPattern[]): Links {
  const edges: Edge[] = [];
  const broken = new Set<string>();
  const supervisor = fields.team?.supervisor;
  const supervisesItself = supervisor !== undefined && isSelf(supervisor, file, known);

  const add = (kind: string, role: string, ref: Ref, path: string, more: Partial<Edge> = {}): AgentFile | undefined => {
    const to = known.resolve(ref, path);
    if (to === undefined) broken.add(kind);
    else edges.push({ kind, role, from: file, to, ref, ...more });
    return to;
  };
  const everyone: Pick<Edge, 'kind' | 'role' | 'ref' | 'getsRequest'>[] = [];
  /** Under a key that takes several agents, a reference may stand for many. */
  const addMany = (kind: string, role: string, ref: Ref, path: string, more: Partial<Edge> = {}): void => {
    const folder = ref.text === '*' ? undefined : known.folder(ref);
    if (ref.text === '*') everyone.push({ kind, role, ref, ...more });
    else if (folder === undefined) add(kind, role, ref, path, more);
    else {
      for (const to of folder) {
        if (to !== file) edges.push({ kind, role, from: file, to, ref, optional: true, ...more });
      }
    }
  };
  const addChain = (kind: 'next' | 'handoff', chain: ChainRefs | undefined): void => {
    for (const [index, stage] of (chain?.stages ?? []).entries()) {
      add(kind, 'stage', stage.to, kind, { stage: index });
      if (stage.else !== undefined) add(kind, 'else', stage.else, `${kind}.else`, { stage: index });
    }
  };

  for (const ref of fields.agents ?? []) addMany('agents', 'call', ref, 'agents');
  addChain('next', fields.next);
  addChain('handoff', fields.handoff);
  for (const ref of fields.router?.destinations ?? []) addMany('router', 'destination', ref, 'router.destinations');
  for (const ref of fields.advisors?.agents ?? []) addMany('advisors', 'advisor', ref, 'advisors', ASKED);
  for (const ref of fields.team?.members ?? []) addMany('team', 'member', ref, 'team.members', ASKED);
  if (supervisor !== undefined && !supervisesItself) add('team', 'supervisor', supervisor, 'team.supervisor', ASKED);
  const uses = patterns.flatMap((pattern): readonly Use[] => {
    const value = (fields as Readonly<Record<string, unknown>>)[pattern.key];
    if (value === undefined) return [];
    const config = linked(pattern.writing.form, value, pattern.key, ({ ref, path, role, getsRequest }) => {
      return add(pattern.key, role, ref, path, getsRequest ? ASKED : {})?.name;
    });
    return broken.has(pattern.key) || config === undefined ? [] : [{ pattern, config }];
  });

  const spawn = typeof fields.spawn === 'object' ? (fields.spawn.agents ?? []) : [];
  const spawnable = spawn.flatMap((ref): readonly Spawnable[] => {
    const many = ref.text === '*' ? [...known.agents.values()] : known.folder(ref);
    if (many !== undefined) return many.map((to) => ({ to, optional: true }));
    const to = known.resolve(ref, 'spawn.agents');
    if (to === undefined) broken.add('spawn');
    return to === undefined ? [] : [{ to, ref }];
  });
  return { edges, spawnable, supervisesItself, uses, everyone, broken };
}

const ASKED = { getsRequest: true } as const;

/** `self`, or the file's own agent by its name. */
function isSelf(ref: Ref, file: AgentFile, known: Directory): boolean {
  return ref.text === 'self' || (withoutPrefix(ref.text) === file.name && known.agents.get(file.name) === file);
}
