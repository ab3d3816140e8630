// The restrictions that the file of another tool puts on its agent. A restriction is held by leaving out every right
// that it concerns: a part of a tool cannot be taken away here, and an entry that nobody can read may mean anything.
// RIGHTS-1. A right is one of our tools (`files:write`, `mcp:server/tool`), `spawn`, or `agent:<name>`.

import { glob } from '../../base/text/glob.ts';
import type { MapNode, YamlNode } from '../../base/yaml/node.ts';
import { ALL_KEYS } from '../read/keys.ts';
import { splitNames } from '../read/tolerant.ts';
import { equivalentSource, foreignNames, isOwn, isWithoutCounterpart } from './claude-tools.ts';

export interface Restriction {
  /** The words of the file. */
  readonly what: string;
  /** True if it takes this right away. */
  denies(right: string): boolean;
  /** It names what it takes away, and takes nothing else: nobody needs to be told. */
  readonly isExact?: true;
}

interface Restrictions {
  readonly all: readonly Restriction[];
  /** The keys that they stand under. */
  readonly keys: ReadonlySet<string>;
}

type Denies = Restriction['denies'];

/** A name that is no tool here takes away nothing from an agent that names its tools one by one. */
export function restrictionsIn(tree: MapNode, namesTools: boolean): Restrictions {
  const all: Restriction[] = [];
  const keys = new Set<string>();
  for (const { key, value } of tree.entries.values()) {
    if (isEmpty(value)) continue;
    const restrictions = readerOf(key)?.(key, value, namesTools ? NOTHING : ALL_THAT_ACTS) ?? [];
    all.push(...restrictions);
    if (restrictions.length > 0 && key !== 'hooks') keys.add(key); // what else a hook did is lost, too
  }
  return { all, keys };
}

type RestrictionReader = (key: string, value: YamlNode, unknown: Denies) => readonly Restriction[];

const EVERYTHING: Denies = () => true;
const NOTHING: Denies = () => false;
const keepsOnly =
  (...rights: readonly string[]): Denies =>
  (right) =>
    !rights.includes(right);
const ALL_THAT_ACTS = keepsOnly('files', 'person');

function readerOf(key: string): RestrictionReader | undefined {
  if (Object.hasOwn(READERS, key)) return READERS[key];
  const isUnknown = !Object.hasOwn(ALL_KEYS, key) && LIKE_A_RESTRICTION.test(key);
  return isUnknown ? (what) => [{ what, denies: ALL_THAT_ACTS }] : undefined;
}

/** Keys that nobody here knows, by names that say that they hold something back. */
const LIKE_A_RESTRICTION =
  /den(?:y|ied)|disallow|disable|forbid|block|exclude|restrict|prohibit|permission|read_?-?only|sandbox|allow|guard|polic(?:y|ies)|approval/i;

const isEmpty = (node: YamlNode): boolean =>
  node.kind === 'scalar'
    ? node.value === null || node.value === false || node.value === ''
    : (node.kind === 'list' ? node.items.length : node.entries.size) === 0;

const byName: RestrictionReader = (key, value, unknown) =>
  textsIn(value).map((name): Restriction => {
    const isPart = /\(.*\)$/.test(name);
    return { what: `${key}: ${name}`, denies: deniedBy(name, unknown), ...(!isPart && { isExact: true }) };
  });

const READERS: Readonly<Record<string, RestrictionReader>> = {
  disallowedTools: byName,
  permissionMode: (key, value) => {
    const [mode = ''] = textsIn(value);
    return HARMLESS_MODES.has(mode) ? [] : [{ what: `${key}: ${mode}`, denies: modeDenies(mode) }];
  },
  permission: readPermission,
  permissions: readPermission,
  tools: (key, value) =>
    value.kind !== 'map'
      ? []
      : [...value.entries.values()]
          .filter(({ value: granted }) => granted.kind !== 'scalar' || granted.value !== true)
          .map(({ key: name }) => ({ what: `${key}: ${name}`, denies: deniedBy(name, ALL_THAT_ACTS), isExact: true })),
  hooks: (key, value, unknown) =>
    value.kind !== 'map'
      ? []
      : [...value.entries.values()]
          .filter(({ key: event }) => event === 'PreToolUse' || event === 'PermissionRequest')
          .flatMap(({ key: event, value: hooks }) =>
            matchersIn(hooks).map((matcher) => ({
              what: `${key}: ${event}${matcher === '' ? '' : ` ${matcher}`}`,
              denies: matcher === '' ? ALL_THAT_ACTS : anyOf(matcher.split('|').map((one) => deniedBy(one, unknown))),
            })),
          ),
};

/** These give more than asking does, or nothing. */
const HARMLESS_MODES: ReadonlySet<string> = new Set(['default', 'acceptEdits', 'bypassPermissions', 'auto']);

/** Plan mode changes nothing, and asks before it reads a page. */
const modeDenies = (mode: string): Denies => (mode === 'plan' ? keepsOnly('files', 'person', 'web') : ALL_THAT_ACTS);

/**
 * Reads the permissions of opencode: an action, or one for each tool, or for patterns of its calls. Those of Claude
 * Code are lists of names.
 */
function readPermission(key: string, value: YamlNode, unknown: Denies): readonly Restriction[] {
  if (value.kind !== 'map') {
    const texts = textsIn(value);
    if (texts.every(isGrant)) return [];
    const denies = texts.every((text) => text === 'deny') ? EVERYTHING : ALL_THAT_ACTS;
    return [{ what: `${key}: ${texts.join(', ').slice(0, 80)}`, denies }];
  }
  return [...value.entries.values()].flatMap(({ key: name, value: action }): readonly Restriction[] => {
    const what = `${key}: ${name}`;
    if (name === 'deny')
      return textsIn(action).map((one) => ({ what: `${what} ${one}`, denies: deniedBy(one, unknown) }));
    if (name === 'allow' || name === 'ask' || name === 'additionalDirectories') return [];
    if (name === 'defaultMode') return READERS['permissionMode']!(what, action, unknown);
    return actionsIn(action).every(isGrant) ? [] : [{ what, denies: deniedBy(name, unknown) }];
  });
}

const isGrant = (action: string): boolean => action === 'allow' || action === 'ask';

/** Every text in a value. What is no text counts as one that nobody knows. */
const actionsIn = (node: YamlNode): readonly string[] =>
  node.kind === 'map' ? [...node.entries.values()].flatMap(({ value }) => actionsIn(value)) : textsIn(node);

function textsIn(node: YamlNode): readonly string[] {
  if (node.kind === 'map') return ['{…}'];
  if (node.kind === 'list') return node.items.flatMap(textsIn);
  return node.value === null ? [] : splitNames(String(node.value));
}

const matchersIn = (hooks: YamlNode): readonly string[] => {
  const each = hooks.kind === 'list' ? hooks.items : [hooks];
  return each.map((hook) => {
    const matcher = hook.kind === 'map' ? hook.entries.get('matcher')?.value : undefined;
    const text = matcher?.kind === 'scalar' && matcher.value !== null ? String(matcher.value).trim() : '';
    return /^[\w|]+$/.test(text) ? text : '';
  });
};

const anyOf =
  (each: readonly Denies[]): Denies =>
  (right) =>
    each.some((denies) => denies(right));

/** Our names for the tools of opencode. */
const OF_OPENCODE: Readonly<Record<string, readonly string[]>> = {
  list: ['files'],
  patch: ['files:write'],
  // A change is a change, by whichever tool it is made.
  edit: ['files:write'],
  task: ['spawn', 'agent:*'],
  agent: ['spawn', 'agent:*'],
  question: ['person'],
  external_directory: ['shell'],
  doom_loop: [],
  codesearch: [],
  lsp: [],
};

const MAX_NAME = 300;

/** `unknown` is what a name takes away that is none of a tool. */
function deniedBy(written: string, unknown: Denies): Denies {
  const name = written.replace(/\(.*\)$/, '').trim();
  if (name.length > MAX_NAME) return ALL_THAT_ACTS;
  if (name === '*') return EVERYTHING;
  const [, server, tool = '*'] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? [];
  if (server !== undefined) return deniedServer(server, tool);
  const own = equivalentSource(name);
  if (own !== undefined) return (right) => right === own;
  if (isOwn(name)) return (right) => right === name;
  const [, agent = ''] = /^(?:Task|Agent)\((.+)\)$/.exec(written) ?? [];
  if (agent !== '') return (right) => right === 'spawn' || right.startsWith('agent:');
  const low = name.toLowerCase();
  if (Object.hasOwn(OF_OPENCODE, low)) return among(OF_OPENCODE[low]!);
  if (isWithoutCounterpart(name)) return NOTHING;
  return name.includes('*') ? deniedLike(name) : unknown;
}

const among =
  (rights: readonly string[]): Denies =>
  (right) =>
    rights.includes(right) || (right.startsWith('agent:') && rights.includes('agent:*'));

/** A server of which one tool is denied is left out whole where all of it was given. */
function deniedServer(server: string, tool: string): Denies {
  const [servers, tools] = [glob(server), glob(tool)];
  return (right) => {
    const [, ofServer, ofTool] = /^mcp:([^/]+)(?:\/(.+))?$/.exec(right) ?? [];
    return ofServer !== undefined && servers.matches(ofServer) && (ofTool === undefined || tools.matches(ofTool));
  };
}

/** `web*`, or `notes_*` for a server as opencode names its tools. */
function deniedLike(pattern: string): Denies {
  const names = glob(pattern);
  const [server = ''] = pattern.split('_*');
  return (right) =>
    foreignNames(right).some((name) => names.matches(name)) || (server !== '' && right.startsWith(`mcp:${server}`));
}
