// An agent of another tool on its way to an agent file of ours: the keys that it has here, each at the place of the key that
// it comes from, its rights and what restricts them, the agents that it refers to, and what is to be said of it.

import type { MapNode, Stretch, YamlEntry, YamlNode } from '../../base/yaml/node.ts';
import { agentNameOf } from './agent-name.ts';
import { nodeOf } from './nodes.ts';
import type { ImportNote, LossSubject } from './note.ts';
import { type Restriction, settledRights } from './restriction.ts';

/** A reference to another agent, by the name that it has here. */
interface DraftEdge {
  readonly key: 'agents' | 'router' | 'handoff' | 'advisors';
  readonly to: string;
  /** The reference as the file writes it. */
  readonly written: string;
}

/** Gives names and references a meaning. */
export interface DraftContext {
  /** The name that it gets here. */
  readonly name: string;
  /** The name of the agent that a name means, in its own file first. */
  agentNamed(written: string): string | undefined;
  /** The name of the agent that a file holds, by its path from this file. */
  agentAt(path: string): string | undefined;
  /** The text of a file below what is imported, by its path from this file. */
  textAt(path: string): string | undefined;
  /** The model that a short name becomes under `models`. */
  modelNamed(short: string): string;
  /** The folder that file tools will work in. */
  readonly workspace: string;
  /** The providers and servers of cadre.yaml: `mcp:docs`, `local`. */
  readonly declared: ReadonlySet<string>;
}

export class AgentDraft {
  readonly notes: ImportNote[] = [];
  readonly edges: DraftEdge[] = [];
  /** RIGHTS-1. */
  readonly rights = new Set<string>();
  readonly restrictions: Restriction[] = [];
  /** The models of cadre.yaml that it names, each with what it stands for. */
  readonly aliases = new Map<string, string>();
  /** False if it has all tools because its file names none. */
  namesTools = false;
  prompt = '';
  readonly context: DraftContext;
  readonly #written: MapNode;
  readonly #fields = new Map<string, YamlEntry>();

  constructor(written: MapNode, context: DraftContext) {
    this.#written = written;
    this.context = context;
    this.put('name', context.name);
  }

  /** `from` is the key of the other tool whose place the value has. */
  put(key: string, value: unknown, from: string = key): void {
    this.set(key, nodeOf(value, this.#placeOf(from)));
  }

  set(key: string, value: YamlNode): void {
    this.#fields.set(key, { key, value, start: value.start, end: value.end });
  }

  has(key: string): boolean {
    return this.#fields.has(key);
  }

  lose(what: string, why: string, about?: LossSubject): void {
    this.notes.push({ kind: 'lost', what, why, ...(about !== undefined && { about }) });
  }

  tell(kind: 'changed' | 'todo', what: string, why: string): void {
    this.notes.push({ kind, what, why });
  }

  take({ rights, notes }: { readonly rights: readonly string[]; readonly notes: readonly ImportNote[] }): void {
    for (const right of rights) {
      if (right.startsWith('agent:')) this.refer('agents', right.slice('agent:'.length), right.slice('agent:'.length));
      else this.rights.add(right);
    }
    for (const note of notes) if (!this.#isSaid(note)) this.notes.push(note);
  }

  #isSaid({ kind, what }: ImportNote): boolean {
    return this.notes.some((note) => note.kind === kind && note.what === what);
  }

  /** Says that it has another name here. `shown` is what its file calls it. */
  tellName(called: string, shown = called): void {
    const { name } = this.context;
    if (called !== name && agentNameOf(called) === name) this.tell('changed', shown, `it is called ${name} here`);
  }

  tellDescription(): void {
    if (!this.has('description')) this.tell('todo', 'description', 'it has none; others need one to refer to it');
  }

  /** A loss that another key makes good. */
  forgive(what: string): void {
    const at = this.notes.findIndex((note) => note.kind === 'lost' && note.what === what);
    if (at >= 0) this.notes.splice(at, 1);
  }

  /** Refers to another agent, if it is among those that are imported. */
  refer(key: DraftEdge['key'], written: string, to: string | undefined): void {
    if (to === undefined)
      this.lose(`${key}: ${written}`, 'no agent of that name is among those that are imported', 'reference');
    else if (to === this.context.name) this.lose(`${key}: ${written}`, 'an agent does not call itself', 'reference');
    else if (!this.edges.some((one) => one.key === key && one.to === to)) {
      this.edges.push({ key, to, written });
      if (key === 'agents') this.rights.add(`agent:${to}`);
    }
  }

  /** Takes a reference back that would lead a run in a circle. */
  cut(edge: DraftEdge): void {
    this.edges.splice(this.edges.indexOf(edge), 1);
    if (edge.key === 'agents') this.rights.delete(`agent:${edge.to}`);
    this.lose(
      `${edge.key}: ${edge.written}`,
      'it leads back to this agent, and runs do not go in circles',
      'reference',
    );
  }

  /** The frontmatter that it has here. */
  finished(): MapNode {
    const { rights, deny, approve, notes } = settledRights(this.rights, this.restrictions);
    this.notes.push(...notes.filter((note) => !this.#isSaid(note)));
    const { declared } = this.context;
    const isHad = (server: string): boolean => rights.some((one) => one === server || one.startsWith(`${server}/`));
    this.#dropTasks((what) => what.startsWith('mcp:') && (declared.has(what) || !isHad(what)));
    this.#putRights(rights);
    if (deny.length > 0) this.put('deny', deny);
    if (approve.length > 0) this.put('approve', approve);
    const isTaken = ({ to }: DraftEdge): boolean => this.restrictions.some(({ takes }) => takes(`agent:${to}`));
    for (const edge of this.edges.filter((one) => one.key !== 'agents' && isTaken(one))) {
      this.edges.splice(this.edges.indexOf(edge), 1);
      this.lose(`${edge.key}: ${edge.written}`, 'a restriction concerns it', 'reference');
    }
    for (const key of ['advisors', 'handoff'] as const) this.#putEdges(key);
    const destinations = this.edges.filter((one) => one.key === 'router').map(({ to }) => to);
    if (destinations.length > 0) this.put('router', { destinations });
    return { ...this.#written, entries: inOrder(this.#fields) };
  }

  #putRights(rights: readonly string[]): void {
    const tools = rights.filter((right) => right !== 'spawn' && !right.startsWith('agent:'));
    const agents = rights.flatMap((right) => (right.startsWith('agent:') ? [right.slice('agent:'.length)] : []));
    if (tools.length > 0) this.put('tools', tools);
    if (agents.length > 0) this.put('agents', agents, 'tools');
    if (rights.includes('spawn')) this.put('spawn', true, 'tools');
    const named = this.rights.size > 0 || this.notes.some(({ about }) => about === 'tool');
    if (this.namesTools && named && rights.length === 0)
      this.tell('todo', 'tools', 'it named some, and none is left here; name what it needs');
  }

  /** A server that is declared, or that it does not have in the end, needs no declaration. */
  #dropTasks(isIdle: (what: string) => boolean): void {
    const kept = this.notes.filter(({ kind, what }) => kind !== 'todo' || !isIdle(what));
    this.notes.splice(0, this.notes.length, ...kept);
  }

  #putEdges(key: 'advisors' | 'handoff'): void {
    const [first, ...others] = this.edges.filter((one) => one.key === key).map(({ to }) => to);
    if (first === undefined) return;
    this.put(key, key === 'handoff' ? first : [first, ...others]);
  }

  #placeOf(key: string): Stretch {
    return this.#written.entries.get(key)?.value ?? this.#written;
  }
}

const ORDER: readonly string[] = [
  'name',
  'description',
  'usage',
  'models',
  'tools',
  'deny',
  'approve',
  'agents',
  'spawn',
];

/** As people write them, whatever came first in the file. */
function inOrder(fields: ReadonlyMap<string, YamlEntry>): ReadonlyMap<string, YamlEntry> {
  const at = (key: string): number => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  return new Map([...fields].toSorted(([a], [b]) => at(a) - at(b)));
}
