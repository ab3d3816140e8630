// From what a file says to whom it means: references become edges between agents. An edge keeps the reference it came
// from, so that whatever is found out about it later has a place.

import { type AgentFile, withoutPrefix } from './agent-file.ts';
import type { Directory } from './directory.ts';
import type { EdgeKey, Fields } from './keys.ts';
import type { ChainRefs } from './keys-chain.ts';
import type { Ref } from './shape.ts';

export type EdgeRole = 'call' | 'stage' | 'else' | 'destination' | 'advisor' | 'member' | 'supervisor';

export interface Edge {
  readonly kind: EdgeKey;
  readonly role: EdgeRole;
  readonly from: AgentFile;
  readonly to: AgentFile;
  readonly ref: Ref;
  /** Of `stage` and `else`: which stage of the chain, from 0. */
  readonly stage?: number;
}

export interface Links {
  readonly edges: readonly Edge[];
  /** Who may be spawned, where the file names them. Not an edge: a spawned run may spawn its spawner. */
  readonly spawnable: readonly AgentFile[];
  /** The file's own agent supervises its team. */
  readonly supervisesItself: boolean;
  /** Keys with a reference that could not be resolved; what depends on them is not judged. */
  readonly broken: ReadonlySet<string>;
}

export function link(file: AgentFile, fields: Fields, known: Directory): Links {
  const edges: Edge[] = [];
  const broken = new Set<string>();
  const supervisor = fields.team?.supervisor;
  const supervisesItself = supervisor !== undefined && isSelf(supervisor, file, known);

  const add = (kind: EdgeKey, role: EdgeRole, ref: Ref, path: string, stage?: number): void => {
    const to = known.resolve(ref, path);
    if (to === undefined) broken.add(kind);
    else edges.push({ kind, role, from: file, to, ref, ...(stage === undefined ? {} : { stage }) });
  };
  const addChain = (kind: 'next' | 'handoff', chain: ChainRefs | undefined): void => {
    for (const [index, stage] of (chain?.stages ?? []).entries()) {
      add(kind, 'stage', stage.to, kind, index);
      if (stage.else !== undefined) add(kind, 'else', stage.else, `${kind}.else`, index);
    }
  };

  for (const ref of fields.agents ?? []) add('agents', 'call', ref, 'agents');
  addChain('next', fields.next);
  addChain('handoff', fields.handoff);
  for (const ref of fields.router?.destinations ?? []) add('router', 'destination', ref, 'router.destinations');
  for (const ref of fields.advisors?.agents ?? []) add('advisors', 'advisor', ref, 'advisors');
  for (const ref of fields.team?.members ?? []) add('team', 'member', ref, 'team.members');
  if (supervisor !== undefined && !supervisesItself) add('team', 'supervisor', supervisor, 'team.supervisor');

  const spawn = typeof fields.spawn === 'object' ? (fields.spawn.agents ?? []) : [];
  const spawnable = spawn.map((ref) => known.resolve(ref, 'spawn.agents')).filter((found) => found !== undefined);
  if (spawnable.length < spawn.length) broken.add('spawn');
  return { edges, spawnable, supervisesItself, broken };
}

/** `self`, or the file's own agent by its name. */
function isSelf(ref: Ref, file: AgentFile, known: Directory): boolean {
  return ref.text === 'self' || (withoutPrefix(ref.text) === file.name && known.agents.get(file.name) === file);
}
