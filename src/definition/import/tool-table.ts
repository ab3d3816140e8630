// The names of the tools of another program, and the rights that they become here. What has no counterpart is noted, never
// dropped without a word.

import { glob } from '../../base/text/glob.ts';
import { isOfPart, namesOfRight, rightsNamed } from './denied-names.ts';
import { type DeniedPart, deniedCommand, deniedHost, deniedPath, type PathReading } from './denied-part.ts';
import type { ImportNote } from './note.ts';
import { ALL_THAT_ACTS, type Restriction, TAKES_ALL, TAKES_NONE, type Takes } from './restriction.ts';

export interface ToolTable {
  /** Our sources by the name of a tool. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
  /** Tools that do a part of a source, by that source: all of it would be more. */
  readonly parts?: Readonly<Record<string, string>>;
  /** Tools that nothing here does, and why. */
  readonly without: Readonly<Record<string, string>>;
  /** Tools that start other agents. */
  readonly starters: readonly string[];
  /** The rights of an agent that names no tools, and of `*`. */
  readonly all: readonly string[];
  /** Names in upper and lower case mean the same. */
  readonly foldsCase?: true;
  /** Files may name our sources too. */
  readonly takesOurs?: true;
  /** The name of an agent among the tools means that it may be called. */
  readonly namesAgents?: true;
  /** The plain name of a tool that is written with the set that it belongs to. */
  nameOf?(name: string): string;
  /** The server, and the tool, that a name is of. `*` or no tool is all of it. */
  serverTool(name: string): { readonly server: string; readonly tool?: string | undefined } | undefined;
}

/** The names of tools that a pattern with a server and a tool matches. */
export const serverToolLike =
  (pattern: RegExp): ToolTable['serverTool'] =>
  (name) => {
    const [, server, tool] = pattern.exec(name) ?? [];
    return server === undefined ? undefined : { server, tool };
  };

/** Files of other programs say in these words that there is nothing like it here. */
export const NO_LIST = 'there is no shared list of tasks';
export const NO_SEARCH = 'there is no search of the web; an MCP server can offer one';
export const NO_EDITOR = 'there is no editor around it';
export const NO_MEMORY = 'an agent keeps nothing between runs';

interface GrantedTools {
  readonly rights: readonly string[];
  readonly notes: readonly ImportNote[];
  /** The source that a lost tool is a part of. */
  readonly partOf?: string;
}

const MAX_NAME = 300;

/** `agentNamed` gives the name that an agent has here, if a name is that of an agent. */
export function grantedTools(
  names: readonly string[],
  table: ToolTable,
  agentNamed: (name: string) => string | undefined,
): GrantedTools {
  const rights = new Set<string>();
  const notes = new Map<string, ImportNote>();
  const parts = new Map<string, string>();
  for (const written of names) {
    const one =
      written.length > MAX_NAME
        ? lostTool(`${written.slice(0, 40)}…`, 'that is too long for the name of a tool')
        : granted(written, table, agentNamed);
    for (const right of one.rights) rights.add(right);
    for (const note of one.notes) notes.set(`${note.kind} ${note.what}`, note);
    if (one.partOf !== undefined) parts.set(`lost ${written}`, one.partOf);
  }
  // A part of what it has whole is not lost.
  for (const [key, source] of parts) if (rights.has(source)) notes.delete(key);
  return { rights: [...rights], notes: [...notes.values()] };
}

function granted(written: string, table: ToolTable, agentNamed: (name: string) => string | undefined): GrantedTools {
  const [, called = written, argument] = /^([^()]+)\((.*)\)$/.exec(written) ?? [];
  const name = table.nameOf?.(called) ?? called;
  if (table.takesOurs === true && isOurs(written)) return { rights: [written], notes: [] };
  if (name === '*') return { rights: table.all, notes: [] };
  const sources = entryOf(table.sources, name, table);
  if (sources !== undefined)
    return argument === undefined || isWhole(argument)
      ? { rights: sources, notes: [] }
      : lostPart(written, sources[0]!);
  const part = entryOf(table.parts ?? {}, name, table);
  if (part !== undefined) return lostPart(written, part);
  if (table.starters.some((one) => one === name || (table.foldsCase === true && one === name.toLowerCase()))) {
    const known = (argument ?? '').split(',').flatMap((one) => agentNamed(one.trim()) ?? []);
    return { rights: known.length === 0 ? ['spawn'] : known.map((one) => `agent:${one}`), notes: [] };
  }
  const why = entryOf(table.without, name, table);
  if (why !== undefined) return lostTool(written, why);
  const { server, tool } = table.serverTool(name) ?? {};
  if (server !== undefined) return ofServer(server, tool === '*' ? undefined : tool);
  const agent = table.namesAgents === true ? agentNamed(name) : undefined;
  return agent === undefined
    ? lostTool(written, 'no tool of that name is known')
    : { rights: [`agent:${agent}`], notes: [] };
}

function entryOf<Value>(map: Readonly<Record<string, Value>>, name: string, table: ToolTable): Value | undefined {
  const key = table.foldsCase === true ? name.toLowerCase() : name;
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

const lostTool = (what: string, why: string): GrantedTools => ({
  rights: [],
  notes: [{ kind: 'lost', what, why, about: 'tool' }],
});

const lostPart = (what: string, source: string): GrantedTools => ({
  ...lostTool(what, `a part of ${source} cannot be given here, and all of it is more`),
  partOf: source,
});

/** A server has a name of ours, and a person declares it: what it runs is not taken from the file of a stranger. */
export function ofServer(server: string, tool?: string, declaration = '{ command: … }'): GrantedTools {
  const name = serverNameOf(server);
  const why = `declare the server under mcpServers in cadre.yaml: ${name}: ${declaration}`;
  return {
    rights: [tool === undefined ? `mcp:${name}` : `mcp:${name}/${tool}`],
    notes: [{ kind: 'todo', what: `mcp:${name}`, why }],
  };
}

/** `figma mcp!` is `figma-mcp`. */
export const serverNameOf = (written: string): string => {
  const plain = written.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').replaceAll(/^[^A-Za-z]+|-+$/g, '');
  return plain.slice(0, 64) || 'server';
};

/** A file may name our sources already. */
const isOurs = (name: string): boolean =>
  ['files', 'files:write', 'shell', 'web', 'person'].includes(name) || /^(?:mcp|rest):[A-Za-z]/.test(name);

/** `Bash(*)` is all of `Bash`. */
const isWhole = (argument: string): boolean => /^(?::?\*{1,2})?$/.test(argument.trim());

/** The form in which a program denies a part of a tool. */
export interface DenialForm {
  readonly paths: PathReading;
  /** The rights that go with a denial of a name which nobody here knows. */
  readonly unknown: Takes;
}

/** `Bash`, `Bash(git push:*)`, `mcp__db__drop`, `web*`. */
export function denial(what: string, written: string, table: ToolTable, form: DenialForm): Restriction {
  const [, name = written.trim(), argument] = /^([^()]+)\(([^]*)\)$/.exec(written.trim()) ?? [];
  if (written.length > MAX_NAME) return { what: `${what.slice(0, 80)}…`, takes: ALL_THAT_ACTS };
  if (name === '*') return { what, takes: TAKES_ALL, isExact: true };
  if (argument !== undefined && !isWhole(argument)) return deniedIn(what, name, argument, form);
  const { server, tool = '*' } = table.serverTool(name) ?? serverToolOf(name) ?? {};
  const rights = rightsNamed(name);
  if (rights !== undefined)
    return { what, takes: amongRights(rights), ...(!isOfPart(name) && { isExact: true as const }) };
  if (isOurs(name) && server === undefined) return { what, takes: (right) => right === name, isExact: true };
  if (server !== undefined) return { what, ...deniedServer(server, tool), isExact: true };
  // `db_drop*` is a part of a server, which goes whole.
  if (name.includes('*'))
    return { what, takes: deniedLike(name), ...(!/_[^_*]+\*/.test(name) && { isExact: true as const }) };
  return { what, takes: form.unknown, ...(form.unknown === TAKES_NONE && { isExact: true as const }) };
}

/** A part of a tool. */
export function deniedIn(what: string, name: string, argument: string, { paths, unknown }: DenialForm): Restriction {
  const rights = rightsNamed(name);
  if (rights === undefined) return { what, takes: unknown };
  if (rights.has('spawn') || rights.size !== 1) return { what, takes: amongRights(rights) };
  const [right = ''] = rights;
  const part = deniedPartOf(right, argument, paths);
  if (part === undefined) return { what, takes: amongRights(rights) };
  return { what, takes: TAKES_NONE, rules: part.rules, ...(part.isExact && { isExact: true as const }) };
}

function deniedPartOf(right: string, argument: string, paths: PathReading): DeniedPart | undefined {
  if (right === 'shell') return deniedCommand(argument);
  if (right === 'web') return deniedHost(argument);
  return right === 'files' || right === 'files:write' ? deniedPath(right, argument, paths) : undefined;
}

export const amongRights =
  (rights: ReadonlySet<string>): Takes =>
  (right) =>
    rights.has(right) || (right.startsWith('agent:') && rights.has('spawn'));

const serverToolOf = serverToolLike(/^mcp(?:__|:)(.+?)(?:(?:__|\/|:)(.+))?$/);

/** One tool of a server that it has whole is denied by name; a pattern of names takes the server away. */
function deniedServer(server: string, tool: string): Pick<Restriction, 'takes' | 'rules'> {
  const [servers, tools] = [glob(server), glob(tool)];
  const isPlain = !/[*?]/.test(server) && !/[*?\s()]/.test(tool);
  return {
    takes: (right) => {
      const [, ofName, ofTool] = /^mcp:([^/]+)(?:\/(.+))?$/.exec(right) ?? [];
      if (ofName === undefined || !(servers.matches(ofName) || ofName === serverNameOf(server))) return false;
      return ofTool === undefined ? !isPlain : tools.matches(ofTool);
    },
    ...(isPlain && { rules: [`mcp:${serverNameOf(server)}/${tool}`] }),
  };
}

/** `web*`, or `notes_*` for a server as opencode names its tools. */
function deniedLike(pattern: string): Takes {
  const names = glob(pattern.toLowerCase());
  const [server = ''] = pattern.split('*');
  const isOfServers = /^mcp_?$/i.test(server);
  return (right) => {
    if (namesOfRight(right).some((name) => names.matches(name))) return true;
    if (!right.startsWith('mcp:')) return false;
    return (
      isOfServers || server === '' || right.startsWith(`mcp:${server.replace(/[_/:-]+$/, '').replace(/^mcp[_:]+/, '')}`)
    );
  };
}
