// The tools of Claude Code, and the tool sources that do the same here. What has no counterpart is noted, never dropped
// without a word.

import type { ImportNote } from './note.ts';

/** Our sources by the names of tools in Claude Code. */
const SOURCES: Readonly<Record<string, string>> = {
  Read: 'files',
  Glob: 'files',
  Grep: 'files',
  LS: 'files',
  NotebookRead: 'files',
  Edit: 'files:write',
  Write: 'files:write',
  MultiEdit: 'files:write',
  NotebookEdit: 'files:write',
  Bash: 'shell',
  WebFetch: 'web',
  AskUserQuestion: 'person',
};

const BY_LOWER_CASE = new Map(Object.entries(SOURCES).map(([name, source]) => [name.toLowerCase(), source]));

/** The source that does what a tool does, however its name is written. Only for what is taken away. */
export const equivalentSource = (name: string): string | undefined => BY_LOWER_CASE.get(name.toLowerCase());

/** The names that other tools have for a source, as Claude Code and as opencode write them. */
export const foreignNames = (source: string): readonly string[] =>
  Object.keys(SOURCES)
    .filter((name) => SOURCES[name] === source)
    .flatMap((name) => [name, name.toLowerCase()]);

/** Without `tools`, an agent of Claude Code has all tools. Those that change things ask here, as no import is trusted. */
export const ALL_TOOLS: readonly string[] = ['files', 'files:write', 'shell', 'web'];

const NO_LIST = 'there is no shared list of tasks';
const NO_TEAM = 'a team is declared with `team`, and talks by itself';
const NO_BACKGROUND = 'a command does not go on in the background';
const NO_PLAN = 'there is no plan mode';
const NO_RESOURCES = 'resources of MCP servers are not offered';

const WITHOUT_COUNTERPART: Readonly<Record<string, string>> = {
  WebSearch: 'there is no search of the web; an MCP server can offer one',
  TodoWrite: NO_LIST,
  TodoRead: NO_LIST,
  TaskCreate: NO_LIST,
  TaskGet: NO_LIST,
  TaskList: NO_LIST,
  TaskUpdate: NO_LIST,
  TeamCreate: NO_TEAM,
  TeamDelete: NO_TEAM,
  SendMessage: NO_TEAM,
  BashOutput: NO_BACKGROUND,
  KillBash: NO_BACKGROUND,
  KillShell: NO_BACKGROUND,
  TaskOutput: NO_BACKGROUND,
  TaskStop: NO_BACKGROUND,
  EnterPlanMode: NO_PLAN,
  ExitPlanMode: NO_PLAN,
  Skill: 'the key `skills` says which skills it has',
  SlashCommand: 'there are no commands',
  ListMcpResourcesTool: NO_RESOURCES,
  ReadMcpResourceTool: NO_RESOURCES,
};

const WITHOUT_LOWER_CASE = new Set(Object.keys(WITHOUT_COUNTERPART).map((name) => name.toLowerCase()));

export const isWithoutCounterpart = (name: string): boolean => WITHOUT_LOWER_CASE.has(name.toLowerCase());

interface MappedTools {
  readonly tools: readonly string[];
  /** Sub-agents that it names. */
  readonly agents: readonly string[];
  /** True if it may start any agent. */
  readonly spawns: boolean;
  readonly notes: readonly ImportNote[];
}

const MAX_NAME = 300;

/** `isAgent` says whether a name is that of an agent, and so not of a tool. */
export function mappedTools(names: readonly string[], isAgent: (name: string) => boolean): MappedTools {
  const tools = new Set<string>();
  const agents = new Set<string>();
  const notes: ImportNote[] = [];
  let spawns = false;
  for (const written of names) {
    if (written.length > MAX_NAME) {
      notes.push({ kind: 'lost', what: `${written.slice(0, 40)}…`, why: 'that is too long for the name of a tool' });
      continue;
    }
    const [, name = written, argument] = /^([^()]+)\((.*)\)$/.exec(written) ?? [];
    const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
    const [, server, single] = /^mcp__([A-Za-z0-9._-]+?)(?:__(.+))?$/.exec(name) ?? [];
    if (isOwn(written)) tools.add(written);
    else if (name === '*') for (const one of ALL_TOOLS) tools.add(one);
    else if (source !== undefined) {
      if (argument === undefined || isWhole(argument)) tools.add(source);
      else
        notes.push({
          kind: 'lost',
          what: written,
          why: `a part of ${source} cannot be given here, and all of it is more`,
        });
    } else if (server !== undefined) {
      tools.add(single === undefined || single === '*' ? `mcp:${server}` : `mcp:${server}/${single}`);
      const why = `declare the server under mcpServers in cadre.yaml: ${server}: { command: … }`;
      notes.push({ kind: 'todo', what: `mcp:${server}`, why });
    } else if (name === 'Task' || name === 'Agent') {
      const named = (argument ?? '').split(',').map((one) => one.trim());
      const known = named.filter((one) => one !== '' && isAgent(one));
      for (const one of known) agents.add(one);
      spawns ||= known.length === 0;
    } else if (isAgent(name)) agents.add(name);
    else notes.push({ kind: 'lost', what: written, why: lossOf(name) });
  }
  const each = new Map(notes.map((note) => [`${note.kind} ${note.what}`, note]));
  return { tools: [...tools], agents: [...agents], spawns, notes: [...each.values()] };
}

/** A file may name our sources already. */
export const isOwn = (name: string): boolean => [...ALL_TOOLS, 'person'].includes(name) || /^(?:mcp|rest):/.test(name);

const lossOf = (name: string): string =>
  Object.hasOwn(WITHOUT_COUNTERPART, name) ? WITHOUT_COUNTERPART[name]! : 'no tool of that name is known';

/** `Bash(*)` is all of `Bash`. */
const isWhole = (argument: string): boolean => /^(?::?\*{1,2})?$/.test(argument.trim());
