// The toolsets of Docker Agent. A toolset is a source of tools, or some of its tools.

import { homedir } from 'node:os';
import { isAbsolute, relative, resolve } from 'node:path';
import type { MapNode } from '../../../base/yaml/node.ts';
import { deniedCommand, deniedHost, deniedPath } from '../denied-part.ts';
import type { AgentDraft } from '../draft.ts';
import { isTrue, jsonAt, mapAt, namesOf, serverLine, textAt } from '../nodes.ts';
import { ALL_THAT_ACTS, type Restriction, TAKES_NONE } from '../restriction.ts';
import { denial, NO_LIST, NO_MEMORY, ofServer, serverNameOf, serverToolLike, type ToolTable } from '../tool-table.ts';

const READS = [
  'read_file',
  'read_multiple_files',
  'list_directory',
  'directory_tree',
  'search_files',
  'search_files_content',
];
const WRITES = ['write_file', 'edit_file', 'create_directory', 'remove_directory', 'move_file'];

/** Toolsets by their types, and the rights that one without a list of tools is. */
const DOCKER_TOOLS: ToolTable = {
  sources: {
    filesystem: ['files', 'files:write'],
    file: ['files', 'files:write'],
    shell: ['shell'],
    fetch: ['web'],
    user_prompt: ['person'],
  },
  parts: { script: 'shell', background_jobs: 'shell', git: 'shell' },
  without: {
    think: 'a model thinks by itself',
    todo: NO_LIST,
    tasks: NO_LIST,
    plan: NO_LIST,
    session_plan: NO_LIST,
    session_context: NO_MEMORY,
    memory: NO_MEMORY,
    rag: 'an MCP server can search a collection',
    lsp: 'there is no language server',
    api: 'declare it under restTools in cadre.yaml, and name it as rest:<name>',
    openapi: 'declare it under restTools in cadre.yaml, and name it as rest:<name>',
    webhook: 'declare it under restTools in cadre.yaml, and name it as rest:<name>',
    open_url: 'nothing opens a browser',
    a2a: 'an MCP server or a REST tool can reach an agent that runs elsewhere',
    scheduler: 'nothing begins a run at a time',
    model_picker: 'its file says which models it has',
    mcp_catalog: 'servers are named one by one, as mcp:<server>',
    background_agents: 'agents that it calls are waited for; `spawn` starts others beside it',
  },
  starters: [],
  all: [],
  serverTool: serverToolLike(/^mcp:([^:]+)(?::(.+))?$/),
};

const SINGLE_TOOLS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(READS.map((name) => [name, ['files']])),
  ...Object.fromEntries(WRITES.map((name) => [name, ['files:write']])),
  shell: ['shell'],
  fetch: ['web'],
  user_prompt: ['person'],
};

export function readToolset(toolset: MapNode, file: MapNode, draft: AgentDraft): void {
  const type = textAt(toolset, 'type') ?? (toolset.entries.has('ref') || toolset.entries.has('command') ? 'mcp' : '');
  if (type === 'mcp') takeServer(toolset, file, draft);
  else if (Object.hasOwn(DOCKER_TOOLS.sources, type)) takeSource(type, toolset, draft);
  else {
    const part = Object.hasOwn(DOCKER_TOOLS.parts!, type) ? DOCKER_TOOLS.parts![type] : undefined;
    const without = Object.hasOwn(DOCKER_TOOLS.without, type)
      ? DOCKER_TOOLS.without[type]!
      : 'no tool of that name is known';
    const why = part === undefined ? without : `a part of ${part} cannot be given here, and all of it is more`;
    draft.lose((type || 'toolsets').slice(0, 80), why, 'tool');
  }
  if (toolset.entries.has('instruction')) draft.lose(`${type}: instruction`, 'tools say themselves what they do');
}

function takeSource(type: string, toolset: MapNode, draft: AgentDraft): void {
  const isReadOnly = isTrue(toolset.entries.get('readonly')?.value);
  const named = toolset.entries.get('tools')?.value;
  const meant = named === undefined ? DOCKER_TOOLS.sources[type]! : sourcesOf(namesOf(named), type, draft);
  const rights = isReadOnly
    ? meant.filter((right) => right === 'files' || right === 'web' || right === 'person')
    : meant;
  if (rights.length < meant.length && type === 'shell')
    draft.lose(`${type}: readonly`, 'a shell may change anything', 'tool');
  const limits = limitsOf(type, toolset, draft);
  const isClosed = limits.some(({ takes }) => rights.some(takes));
  // A second toolset of the same type is held by the same limits: rules are about tools, not about toolsets.
  draft.restrictions.push(...limits);
  draft.take({ rights, notes: [] });
  if (isClosed) draft.namesTools = true;
}

function sourcesOf(names: readonly string[], type: string, draft: AgentDraft): readonly string[] {
  const own = DOCKER_TOOLS.sources[type]!;
  const rights = new Set<string>();
  for (const name of names) {
    const sources = Object.hasOwn(SINGLE_TOOLS, name) ? SINGLE_TOOLS[name]! : [];
    const of = sources.filter((one) => own.includes(one));
    for (const right of of) rights.add(right);
    if (of.length === 0) draft.lose(`${type}: ${name}`, 'no tool of that name is known', 'tool');
  }
  return [...rights];
}

function limitsOf(type: string, toolset: MapNode, draft: AgentDraft): readonly Restriction[] {
  const among = (key: string): readonly string[] => namesOf(toolset.entries.get(key)?.value);
  const files = (right: string): boolean => right === 'files' || right === 'files:write';
  if (type === 'filesystem' || type === 'file') {
    const allowed = among('allow_list').filter((path) => !holdsWorkspace(path, draft));
    const closed: readonly Restriction[] =
      among('allow_list').length > 0 && allowed.length === among('allow_list').length
        ? [{ what: `${type}: allow_list`, takes: files }]
        : [];
    return [
      ...closed,
      ...among('deny_list').flatMap((path) => deniedFolder(`${type}: deny_list ${path}`, path, draft)),
    ];
  }
  if (type !== 'fetch') return [];
  const only = among('allowed_domains');
  return [
    ...(only.length === 0 ? [] : [{ what: `${type}: allowed_domains`, takes: (right: string) => right === 'web' }]),
    ...among('blocked_domains').map((host) => blockedHost(`${type}: blocked_domains ${host}`, host)),
  ];
}

const placeOf = (path: string, draft: AgentDraft): string =>
  path === '~' || path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : resolve(draft.context.workspace, path);

/** File tools stay in the workspace, so a folder that holds it is no further limit. */
function holdsWorkspace(path: string, draft: AgentDraft): boolean {
  const within = relative(placeOf(path, draft), draft.context.workspace);
  return within === '' || (!within.startsWith('..') && !isAbsolute(within));
}

function deniedFolder(what: string, path: string, draft: AgentDraft): readonly Restriction[] {
  if (holdsWorkspace(path, draft))
    return [{ what, takes: (right) => right === 'files' || right === 'files:write', isExact: true }];
  const inside = relative(draft.context.workspace, placeOf(path, draft));
  if (inside.startsWith('..') || isAbsolute(inside)) return []; // never reached
  const [reads, writes] = [deniedPath('files', inside, 'stars'), deniedPath('files:write', inside, 'stars')];
  if (reads === undefined || writes === undefined || /[*?]/.test(inside))
    return [{ what, takes: (right) => right === 'files' || right === 'files:write' }];
  return [{ what, takes: TAKES_NONE, rules: [...reads.rules, ...writes.rules], isExact: true }];
}

/** A name without a dot before it means what lies below it too, which no entry of `deny` says. */
function blockedHost(what: string, host: string): Restriction {
  const isAddress = /^[\d.]+$/.test(host) || host.startsWith('[');
  const part = isAddress ? deniedHost(host) : undefined;
  return part === undefined
    ? { what, takes: (right) => right === 'web' }
    : { what, takes: TAKES_NONE, rules: part.rules, isExact: true };
}

function takeServer(toolset: MapNode, file: MapNode, draft: AgentDraft): void {
  const ref = textAt(toolset, 'ref');
  const declared = ref === undefined ? undefined : mapAt(file, 'mcps').entries.get(ref)?.value;
  const server = declared?.kind === 'map' ? declared : toolset;
  const url = textAt(mapAt(server, 'remote'), 'url');
  const command = textAt(server, 'command');
  const name = serverNameOf(
    textAt(toolset, 'name') ?? ref?.replace(/^docker:/, '') ?? hostOf(url) ?? command ?? 'server',
  );
  if (isTrue(toolset.entries.get('readonly')?.value)) {
    draft.lose(`mcp:${name}: readonly`, 'name the tools that only read, as mcp:<server>/<tool>', 'restriction');
    return;
  }
  const image = textAt(server, 'ref') ?? ref;
  const gateway = ['mcp', 'gateway', 'run', `--servers=${image?.replace(/^docker:/, '') ?? name}`];
  const args = command === undefined ? gateway : jsonAt(server, 'args');
  const declaration = serverLine(url, command ?? 'docker', args);
  const lists = [toolset, server].flatMap((one) => one.entries.get('tools')?.value ?? []).map(namesOf);
  const [named, ...more] = lists;
  if (named === undefined) draft.take(ofServer(name, undefined, declaration));
  else
    for (const tool of named)
      if (more.every((list) => list.includes(tool))) draft.take(ofServer(name, tool, declaration));
}

const hostOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).hostname.replace(/^(?:www|mcp)\./, '') : undefined;

/** `shell:cmd=rm -rf*`, `mcp:github:delete_*`, `write_file`. */
export function dockerDenial(written: string, draft: AgentDraft, kind: 'deny' | 'ask' = 'deny'): Restriction {
  const what = `permissions: ${kind} ${written}`;
  const [, tool = '', argument = '', pattern = ''] = /^([^:=]+):([^=]+)=([^]*)$/.exec(written) ?? [];
  const form = { paths: 'stars', unknown: draft.namesTools ? TAKES_NONE : ALL_THAT_ACTS } as const;
  if (tool === '' || tool === 'mcp') return denial(what, written, DOCKER_TOOLS, form);
  if (tool === 'shell' && argument === 'cmd') {
    const part = deniedCommand(pattern);
    if (part !== undefined)
      return { what, takes: TAKES_NONE, rules: part.rules, ...(part.isExact && { isExact: true as const }) };
  }
  const { takes } = denial(what, tool, DOCKER_TOOLS, form);
  return { what, takes };
}
