// The frontmatter of an agent of Claude Code as the frontmatter of one of ours: the same tree, with every value at the
// place where the file has it.

import type { MapNode, Stretch, YamlEntry, YamlNode } from '../../base/yaml/node.ts';
import type { BUILT_IN_KINDS } from '../../kernel/provider-kinds.ts';
import { CONFIG_NAME } from '../read/config/config-providers.ts';
import { ALL_KEYS, RESERVED_NAMES } from '../read/keys.ts';
import { splitNames } from '../read/tolerant.ts';
import { ALL_TOOLS, mappedTools } from './claude-tools.ts';
import type { ImportNote } from './note.ts';
import { type Restriction, restrictionsIn } from './restrictions.ts';

interface ClaudeContext {
  /** True if a name is that of an agent, in the form that it has here. */
  isAgent(name: string): boolean;
  /** The model that a short name becomes under `models`. */
  modelNamed(short: string): string;
}

/** The model that imported agents and new folders begin with. */
export const CLAUDE_SONNET = 'claude-sonnet-5';

/** The models that the short names of Claude Code stand for. */
export const CLAUDE_MODELS: Readonly<Record<string, string>> = {
  sonnet: `anthropic/${CLAUDE_SONNET}`,
  opus: 'anthropic/claude-opus-5-5',
  haiku: 'anthropic/claude-haiku-4-5',
  fable: 'anthropic/claude-fable-5-1',
};

/** Keys of Claude Code that mean nothing here, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  color: 'colours are not kept',
  permissionMode: '`trust` says what need not ask',
  permission: '`trust` says what need not ask',
  permissions: '`trust` says what need not ask',
  hooks: 'there are no hooks',
  memory: 'an agent keeps nothing between runs',
  mcpServers: 'servers are declared in cadre.yaml, and named under `tools`',
  isolation: 'the workspace is the same for all agents of a run',
  background: 'the agent that starts it decides that',
  trust: 'nothing that comes from elsewhere is trusted; add it yourself',
};

const MAPPED: ReadonlySet<string> = new Set(['name', 'description', 'model', 'tools', 'disallowedTools', 'effort']);

export function claudeTree(
  written: MapNode,
  fileName: string,
  context: ClaudeContext,
): { readonly tree: MapNode; readonly notes: readonly ImportNote[] } {
  const notes: ImportNote[] = [];
  const own = new Map<string, YamlEntry>();
  const put = (key: string, value: unknown, at: Stretch): void => {
    own.set(key, { key, value: nodeOf(value, at), start: at.start, end: at.end });
  };
  const at = (key: string): Stretch => written.entries.get(key)?.value ?? written;

  const called = textOf(written, 'name') ?? fileName;
  const name = agentNameOf(called);
  put('name', name, at('name'));
  if (name !== called) notes.push({ kind: 'changed', what: called, why: `it is called ${name} here` });
  const description = textOf(written, 'description');
  if (description === undefined)
    notes.push({ kind: 'todo', what: 'description', why: 'it has none; others need one to refer to it' });
  else put('description', description, at('description'));
  const model = modelOf(textOf(written, 'model'), context, notes);
  if (model !== undefined) put('models', [model], at('model'));
  const effort = textOf(written, 'effort');
  if (effort !== undefined && /^(?:low|medium|high)$/.test(effort)) put('reasoning', effort, at('effort'));
  else if (effort !== undefined)
    notes.push({ kind: 'lost', what: `effort: ${effort}`, why: 'low, medium and high are known' });

  const { all: restrictions, keys } = restrictionsIn(written, namedTools(written) !== undefined);
  const { tools, agents, spawns, notes: changes } = rightsOf(written, name, restrictions, context);
  notes.push(...changes);
  if (tools.length > 0) put('tools', tools, at('tools'));
  if (agents.length > 0) put('agents', agents, at('tools'));
  if (spawns) put('spawn', true, at('tools'));

  const isClosed = (key: string): boolean =>
    (key === 'spawn' || key === 'agents') && restrictions.some(({ denies }) => denies('spawn'));
  for (const entry of written.entries.values()) {
    if (MAPPED.has(entry.key) || keys.has(entry.key) || own.has(entry.key) || isClosed(entry.key)) continue;
    if (Object.hasOwn(ALL_KEYS, entry.key) && entry.key !== 'trust') own.set(entry.key, entry);
    else {
      const why = Object.hasOwn(LEFT_OUT, entry.key) ? LEFT_OUT[entry.key]! : 'the key means nothing here';
      notes.push({ kind: 'lost', what: entry.key, why });
    }
  }
  return { tree: { ...written, entries: own }, notes };
}

/** A name that an agent may have here: `Review 2.0` is `review-2-0`. */
export function agentNameOf(written: string): string {
  const plain = written
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|[-_]+$/g, '')
    .replace(/^agent__+/, '');
  const named = /^[a-z]/.test(plain) ? plain : `agent-${plain || 'unnamed'}`;
  return RESERVED_NAMES.has(named) ? `${named}-agent` : named.slice(0, 64).replace(/[-_]+$/, '');
}

interface ClaudeRights {
  readonly tools: readonly string[];
  /** Agents that it may call. */
  readonly agents: readonly string[];
  /** True if it may start any agent. */
  readonly spawns: boolean;
  readonly notes: readonly ImportNote[];
}

/** The tools that it names, or all tools, without those that a restriction takes away. */
function rightsOf(
  written: MapNode,
  self: string,
  restrictions: readonly Restriction[],
  { isAgent }: ClaudeContext,
): ClaudeRights {
  const named = namedTools(written);
  const mapped = named === undefined ? ALL_RIGHTS : mappedTools(named, (one) => isAgent(agentNameOf(one)));
  const { tools, spawns } = mapped;
  const notes: ImportNote[] = [...mapped.notes];
  const agents = mapped.agents.map(agentNameOf).filter((one) => one !== self);
  const rights = [...tools, ...(spawns ? ['spawn'] : []), ...agents.map((one) => `agent:${one}`)];
  for (const { what, denies, isExact } of restrictions) {
    const taken = rights.filter(denies);
    if (isExact && taken.length <= 1) continue;
    const why = `it cannot be held in part here, so these are left out: ${taken.join(', ')}`;
    notes.push({ kind: 'lost', what, why: taken.length === 0 ? 'nothing that it has here is concerned' : why });
  }
  const keeps = (right: string): boolean => !restrictions.some(({ denies }) => denies(right));
  if (named?.length !== 0 && written.entries.has('tools') && !rights.some(keeps))
    notes.push({ kind: 'todo', what: 'tools', why: 'it named some, and none is left here; name what it needs' });
  return {
    tools: tools.filter(keeps),
    agents: agents.filter((one) => keeps(`agent:${one}`)),
    spawns: spawns && keeps('spawn'),
    notes,
  };
}

const ALL_RIGHTS = { tools: ALL_TOOLS, agents: [], spawns: false, notes: [] };

/** Undefined where it has all tools: it names none, or only those that it does not have. */
const namedTools = (written: MapNode): readonly string[] | undefined =>
  written.entries.get('tools')?.value.kind === 'map' ? undefined : namesOf(written, 'tools');

const MAX_MODEL = 100;

function modelOf(written: string | undefined, context: ClaudeContext, notes: ImportNote[]): string | undefined {
  if (written === undefined || written === 'inherit' || written === 'default') return undefined;
  if (written.includes('/')) return written;
  const provider = providerOf(written);
  if (provider !== undefined) return `${provider}/${written}`;
  const short = written.length > MAX_MODEL ? '' : written.replace(/\[.*\]$/, '');
  if (!CONFIG_NAME.test(short)) {
    notes.push({ kind: 'lost', what: `model: ${written}`, why: 'that is no name of a model; it has the default' });
    return undefined;
  }
  if (!Object.hasOwn(CLAUDE_MODELS, short))
    notes.push({
      kind: 'todo',
      what: `model: ${written}`,
      why: `say under models in cadre.yaml what ${short} stands for`,
    });
  else if (short !== written) notes.push({ kind: 'lost', what: `model: ${written}`, why: `it has ${short}` });
  return context.modelNamed(short);
}

const PREFIXES: readonly (readonly [RegExp, (typeof BUILT_IN_KINDS)[number]])[] = [
  [/^claude-/, 'anthropic'],
  [/^(?:gpt-|o\d)/, 'openai'],
  [/^gemini-/, 'google'],
];

const providerOf = (model: string): string | undefined => PREFIXES.find(([prefix]) => prefix.test(model))?.[1];

function textOf(map: MapNode, key: string): string | undefined {
  const node = map.entries.get(key)?.value;
  if (node?.kind !== 'scalar' || node.value === null) return undefined;
  const text = String(node.value).trim();
  return text === '' ? undefined : text;
}

/** A list, or a text with commas. Undefined where the key is not there: an empty one names nothing. */
function namesOf(map: MapNode, key: string): readonly string[] | undefined {
  const node = map.entries.get(key)?.value;
  if (node === undefined) return undefined;
  if (node.kind === 'list') {
    return node.items.flatMap((item) => (item.kind === 'scalar' && item.value !== null ? [String(item.value)] : []));
  }
  return splitNames(textOf(map, key) ?? '');
}

/** A node for a value that has no node of its own in the file. */
function nodeOf(value: unknown, { start, end }: Stretch): YamlNode {
  if (Array.isArray(value)) return { kind: 'list', items: value.map((one) => nodeOf(one, { start, end })), start, end };
  return { kind: 'scalar', value: value as string | boolean, start, end };
}
