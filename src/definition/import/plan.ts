// The plan of an import, decided before anything is written: one agent file of ours for each of theirs, each with a
// name that no other has, and the models that cadre.yaml must know for them.

import { dirname, join } from 'node:path/posix';
import { jsonOf, type MapNode } from '../../base/yaml/node.ts';
import { yaml } from '../../base/yaml/package.ts';
import { agentNameOf, fileNameOf } from './agent-name.ts';
import { cutCircles } from './circles.ts';
import type { DialectName, ForeignAgent } from './dialect.ts';
import type { AgentDraft, DraftContext } from './draft.ts';
import type { FoundFiles } from './find-files.ts';
import { SKILL_NAME } from './key-table.ts';
import { CLAUDE_MODELS } from './model-names.ts';
import type { ImportNote } from './note.ts';

export interface PlannedAgent {
  /** Relative to the folder that is imported. */
  readonly from: string;
  readonly dialect: DialectName;
  readonly name: string;
  readonly text: string;
  readonly models: readonly string[];
  readonly tools: readonly string[];
  /** Entries for the calls that it never makes. */
  readonly deny: readonly string[];
  /** The agents that it may call. `spawns`: it may start any agent. */
  readonly agents: readonly string[];
  readonly spawns: boolean;
  /** The agents that it leads to otherwise, each with the key that says how: `router purser`. */
  readonly leads: readonly string[];
  /** The names of its skills. */
  readonly skills: readonly string[];
  /** True if it has all tools because its file names none. */
  readonly hasAllTools: boolean;
  readonly notes: readonly ImportNote[];
  /** `same`: another file of the import says exactly this. `taken`: there is an agent of that name already. */
  readonly state: 'new' | 'same' | 'taken';
  /** The other file, for `same` and `taken`. */
  readonly as?: string;
}

export interface ImportPlan extends Pick<FoundFiles, 'others' | 'unreadable'> {
  readonly agents: readonly PlannedAgent[];
  /** The aliases that the new agents name, each with what it stands for. */
  readonly aliases: ReadonlyMap<string, string>;
  /** True if some of the new agents have the default model. */
  readonly needsDefault: boolean;
}

interface PlanOptions extends Pick<DraftContext, 'workspace' | 'declared'> {
  /** The file of an agent that is there already, by its name. */
  existing(name: string): string | undefined;
  /** The text of a file below what is imported. */
  textAt(path: string): string | undefined;
  /** The model that every alias stands for. Default: the models of Anthropic that Claude Code means. */
  readonly model?: string | undefined;
  /** True if cadre.yaml declares variables, so that `{{word}}` in a prompt has a meaning. */
  readonly hasVariables: boolean;
}

export function planImport({ agents: found, others, unreadable }: FoundFiles, options: PlanOptions): ImportPlan {
  const placed = namedAnew(found, options);
  const drafts = placed.map(({ agent, name }) => agent.dialect.draft(agent, contextOf(agent, name, placed, options)));
  const isFresh = ({ state }: PlacedAgent): boolean => state === 'new';
  cutCircles(new Map(placed.flatMap((one, index) => (isFresh(one) ? [[one.name, drafts[index]!] as const] : []))));
  const agents = placed.map((one, index) => planned(one, drafts[index]!, options.hasVariables));
  const fresh = agents.filter(({ state }) => state === 'new');
  const aliases = new Set(fresh.flatMap(({ models }) => models.filter((model) => !model.includes('/'))));
  const standsFor = (alias: string): string =>
    options.model ?? (Object.hasOwn(CLAUDE_MODELS, alias) ? CLAUDE_MODELS[alias]! : CLAUDE_MODELS['sonnet']!);
  return {
    agents,
    others,
    unreadable,
    aliases: new Map([...aliases].sort().map((alias) => [alias, standsFor(alias)])),
    needsDefault: fresh.some(({ models }) => models.length === 0),
  };
}

/** An agent with the name that it gets here. */
interface PlacedAgent extends Pick<PlannedAgent, 'state' | 'as'> {
  readonly agent: ForeignAgent;
  readonly name: string;
  /** The name that another agent has already. */
  readonly wanted?: string;
}

/** Two agents of one name are one if they say the same. Else the second gets another name. */
function namedAnew(found: readonly ForeignAgent[], options: PlanOptions): readonly PlacedAgent[] {
  const wanted = found.map((agent): PlacedAgent => ({ agent, name: agentNameOf(agent.called), state: 'new' }));
  const known = new Map<string, { readonly from: string; readonly text: string }>();
  return wanted.map((one): PlacedAgent => {
    const { agent, name } = one;
    const first = known.get(name);
    const text = textOf(agent.dialect.draft(agent, contextOf(agent, name, wanted, options)), options.hasVariables);
    if (first?.text === text) return { ...one, state: 'same', as: first.from };
    const own = first === undefined ? name : otherName(agent, name, known);
    known.set(own, { from: agent.from, text });
    const there = options.existing(own);
    return {
      ...one,
      name: own,
      ...(own !== name && { wanted: name }),
      ...(there !== undefined && { state: 'taken' as const, as: there }),
    };
  });
}

/** The name of the folder before it, of the file if that holds several agents, or else a number after it. */
function otherName({ from, member }: ForeignAgent, name: string, known: ReadonlyMap<string, unknown>): string {
  const folder = from
    .split('/')
    .slice(0, -1)
    .findLast((part) => part !== 'agents');
  const before = member === undefined ? folder : fileNameOf(from);
  const wanted = agentNameOf(before === undefined ? `${name}-2` : `${before}-${name}`);
  let other = wanted;
  for (let count = 2; known.has(other); count++) other = `${wanted.slice(0, 58)}-${count}`;
  return other;
}

function contextOf(
  agent: ForeignAgent,
  name: string,
  placed: readonly PlacedAgent[],
  options: PlanOptions,
): DraftContext {
  const names = directoryOf(placed);
  const pathOf = (path: string): string => join(dirname(agent.from), path);
  return {
    name,
    workspace: options.workspace,
    declared: options.declared,
    agentNamed: (written) =>
      names.byMember.get(`${agent.from}\n${written}`) ??
      (agent.member === undefined ? names.byName.get(agentNameOf(written)) : undefined),
    agentAt: (path) => names.byPath.get(pathOf(path)),
    textAt: (path) => (/^[/~]/.test(path) || pathOf(path).startsWith('..') ? undefined : options.textAt(pathOf(path))),
    modelNamed: (short) => short,
  };
}

interface AgentDirectory {
  readonly byName: ReadonlyMap<string, string>;
  readonly byPath: ReadonlyMap<string, string>;
  /** By file and name, for files that hold several. */
  readonly byMember: ReadonlyMap<string, string>;
}

const directories = new WeakMap<readonly PlacedAgent[], AgentDirectory>();

/** Names that agents have here, by how other agents refer to them. The first of a name counts. */
function directoryOf(placed: readonly PlacedAgent[]): AgentDirectory {
  const there = directories.get(placed);
  if (there !== undefined) return there;
  const [byName, byPath, byMember] = [new Map<string, string>(), new Map<string, string>(), new Map<string, string>()];
  for (const { agent, name } of placed) {
    for (const key of [agentNameOf(agent.called), agentNameOf(fileNameOf(agent.from))])
      if (!byName.has(key)) byName.set(key, name);
    if (!byPath.has(agent.from)) byPath.set(agent.from, name);
    if (agent.member !== undefined) byMember.set(`${agent.from}\n${agent.member}`, name);
  }
  const directory = { byName, byPath, byMember };
  directories.set(placed, directory);
  return directory;
}

function planned(
  { agent, name, wanted, state, as }: PlacedAgent,
  draft: AgentDraft,
  hasVariables: boolean,
): PlannedAgent {
  if (wanted !== undefined) draft.tell('changed', wanted, `another agent is called that; it is called ${name} here`);
  if (draft.prompt === '') draft.tell('todo', 'prompt', 'nothing follows its frontmatter');
  const tree = draft.finished();
  const keys = jsonOf(tree) as {
    readonly models?: readonly string[];
    readonly tools?: readonly string[];
    readonly deny?: readonly string[];
    readonly agents?: readonly string[];
    readonly spawn?: unknown;
    readonly skills?: unknown;
  };
  return {
    from: agent.from,
    dialect: agent.dialect.name,
    name,
    text: fileText(tree, literalPrompt(draft.prompt, hasVariables)),
    models: keys.models ?? [],
    tools: keys.tools ?? [],
    deny: keys.deny ?? [],
    agents: keys.agents ?? [],
    spawns: keys.spawn !== undefined,
    leads: draft.edges.filter(({ key }) => key !== 'agents').map(({ key, to }) => `${key} ${to}`),
    skills: Array.isArray(keys.skills)
      ? keys.skills.filter((one): one is string => typeof one === 'string' && SKILL_NAME.test(one))
      : [], // prettier-ignore
    hasAllTools: !draft.namesTools && keys.tools?.join(' ') === ALL_TOOLS,
    notes: draft.notes,
    state,
    ...(as !== undefined && { as }),
  };
}

const ALL_TOOLS = 'files files:write shell web';

/** The prompt as the model got it there: nothing in it is filled in or included here. */
const literalPrompt = (body: string, hasVariables: boolean): string =>
  body.replaceAll(hasVariables ? /\{\{(?=[ \t]*[A-Za-z_])/g : /\{\{(?=[ \t]*include[ \t}])/g, '\\{{');

const textOf = (draft: AgentDraft, hasVariables: boolean): string =>
  fileText(draft.finished(), literalPrompt(draft.prompt, hasVariables));

function fileText(tree: MapNode, body: string): string {
  const document = new (yaml().Document)(jsonOf(tree));
  for (const key of ['models', 'tools', 'deny', 'approve', 'agents', 'advisors', 'skills', 'projectFiles']) {
    const node = document.get(key, true);
    if (yaml().isSeq(node)) node.flow = true; // on one line, as people write them
  }
  return `---\n${document.toString({ lineWidth: 0, flowCollectionPadding: false })}---\n\n${body}\n`;
}
