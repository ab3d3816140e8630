// The plan of an import, decided before anything is written: one agent file of ours for each of theirs, each with a
// name that no other has, and the models that cadre.yaml must know for them.

import { basename } from 'node:path/posix';
import { jsonOf, type MapNode } from '../../base/yaml/node.ts';
import { yaml } from '../../base/yaml/package.ts';
import { splitNames } from '../read/tolerant.ts';
import { ALL_TOOLS } from './claude-tools.ts';
import { agentNameOf, CLAUDE_MODELS, claudeTree } from './claude-tree.ts';
import type { ForeignAgent, FoundFiles } from './find-files.ts';
import type { ImportNote } from './note.ts';

export interface PlannedAgent {
  /** Relative to the folder that is imported. */
  readonly from: string;
  readonly name: string;
  readonly text: string;
  readonly models: readonly string[];
  readonly tools: readonly string[];
  /** The agents that it may call. `spawns`: it may start any agent. */
  readonly agents: readonly string[];
  readonly spawns: boolean;
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

interface PlanOptions {
  /** The file of an agent that is there already, by its name. */
  existing(name: string): string | undefined;
  /** The model that every alias stands for. Default: the models of Anthropic that Claude Code means. */
  readonly model?: string | undefined;
  /** True if cadre.yaml declares variables, so that `{{word}}` in a prompt has a meaning. */
  readonly hasVariables: boolean;
}

export function planImport({ agents: found, others, unreadable }: FoundFiles, options: PlanOptions): ImportPlan {
  const names = new Set(found.map(nameIn));
  const known = new Map<string, PlannedAgent>();
  const agents = found.map((one): PlannedAgent => {
    const planned = converted(one, names, options.hasVariables);
    const first = known.get(planned.name);
    if (first?.text === planned.text) return { ...planned, state: 'same', as: first.from };
    const own = first === undefined ? planned : renamed(planned, known);
    known.set(own.name, own);
    const there = options.existing(own.name);
    return there === undefined ? own : { ...own, state: 'taken', as: there };
  });
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

function nameIn({ from, file }: ForeignAgent): string {
  const node = file.tree.entries.get('name')?.value;
  const written = node?.kind === 'scalar' && node.value !== null ? String(node.value).trim() : '';
  return agentNameOf(written === '' ? fileName(from) : written);
}

const fileName = (from: string): string => basename(from).replace(/\.md$/i, '');

function converted({ from, file }: ForeignAgent, names: ReadonlySet<string>, hasVariables: boolean): PlannedAgent {
  const context = { isAgent: (name: string) => names.has(name), modelNamed: (short: string) => short };
  const { tree, notes } = claudeTree(file.tree, fileName(from), context);
  const keys = jsonOf(tree) as {
    readonly name: string;
    readonly models?: readonly string[];
    readonly tools?: readonly string[];
    readonly agents?: readonly string[];
    readonly spawn?: unknown;
    readonly skills?: unknown;
  };
  const empty: readonly ImportNote[] =
    file.body === '' ? [{ kind: 'todo', what: 'prompt', why: 'nothing follows its frontmatter' }] : [];
  return {
    from,
    name: keys.name,
    text: textOf(tree, literalPrompt(file.body, hasVariables)),
    models: keys.models ?? [],
    tools: keys.tools ?? [],
    agents: keys.agents ?? [],
    spawns: keys.spawn !== undefined,
    skills: skillNames(keys.skills),
    hasAllTools: !file.tree.entries.has('tools') && keys.tools?.length === ALL_TOOLS.length,
    notes: [...(file.isYaml ? [] : [NOT_YAML]), ...notes, ...empty],
    state: 'new',
  };
}

/** A list, or a text with commas. */
function skillNames(written: unknown): readonly string[] {
  const names = typeof written === 'string' ? splitNames(written) : Array.isArray(written) ? written : [];
  return names.filter((name): name is string => typeof name === 'string' && SKILL_NAME.test(name));
}

const SKILL_NAME = /^[\p{L}\p{M}\p{N}-]{1,64}$/u;

const NOT_YAML: ImportNote = {
  kind: 'changed',
  what: 'frontmatter',
  why: 'it is not YAML, and was read line by line',
};

/** An agent of another text under the same name gets the name of its folder before it, else a number after it. */
function renamed(planned: PlannedAgent, known: ReadonlyMap<string, unknown>): PlannedAgent {
  const folder = planned.from
    .split('/')
    .slice(0, -1)
    .findLast((part) => part !== 'agents');
  const wanted = agentNameOf(folder === undefined ? `${planned.name}-2` : `${folder}-${planned.name}`);
  let name = wanted;
  for (let count = 2; known.has(name); count++) name = `${wanted.slice(0, 58)}-${count}`;
  const why = `another agent is called that; it is called ${name} here`;
  return {
    ...planned,
    name,
    text: planned.text.replace(/^name: .*$/m, `name: ${name}`),
    notes: [...planned.notes.filter(({ what }) => what !== planned.name), { kind: 'changed', what: planned.name, why }],
  };
}

/** The prompt as the model got it there: nothing in it is filled in or included here. */
const literalPrompt = (body: string, hasVariables: boolean): string =>
  body.replaceAll(hasVariables ? /\{\{(?=[ \t]*[A-Za-z_])/g : /\{\{(?=[ \t]*include[ \t}])/g, '\\{{');

function textOf(tree: MapNode, body: string): string {
  const document = new (yaml().Document)(jsonOf(tree));
  for (const key of ['models', 'tools', 'agents']) {
    const node = document.get(key, true);
    if (yaml().isSeq(node)) node.flow = true; // on one line, as people write them
  }
  return `---\n${document.toString({ lineWidth: 0, flowCollectionPadding: false })}---\n\n${body}\n`;
}
