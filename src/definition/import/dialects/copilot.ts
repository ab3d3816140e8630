// GitHub Copilot and VS Code: `.github/agents/*.agent.md`.

import type { MapNode } from '../../../base/yaml/node.ts';
import type { AgentDialect } from '../dialect.ts';
import type { AgentDraft } from '../draft.ts';
import { asSkills, asText, type KeyReader, type KeyTable, leaveOut, NO_COLOURS, skipKey } from '../key-table.ts';
import { modelShown, putModels } from '../model-names.ts';
import { asMap, isTrue, jsonAt, namesOf, scalarText, serverLine, textAt } from '../nodes.ts';
import { NO_EDITOR, NO_LIST, NO_MEMORY, NO_SEARCH, ofServer, type ToolTable } from '../tool-table.ts';
import { readHooks } from './claude.ts';
import { markdownDraft } from './markdown.ts';

const READS =
  'read search view codebase readfile listdirectory filesearch textsearch findtestfiles grep glob notebookread';
const WRITES =
  'edit new editfiles createfile createdirectory editnotebook createjupyternotebook rename multiedit write notebookedit apply_patch insert_edit_into_file replace_string_in_file create_file create_directory'; // prettier-ignore
const RUNS =
  'execute runcommands runcommand runinterminal run_in_terminal terminal terminalcommand shell bash powershell runtasks runtask createandruntask run_task create_and_run_task'; // prettier-ignore
const FETCHES = 'web fetch webfetch fetch_webpage';
const ASKS = 'askquestions ask_questions ask_user askuser';

const NOT_THE_SITE = 'an MCP server can offer it';
const OF_EDITOR =
  'problems usages changes searchresults getnotebooksummary readnotebookcelloutput viewimage testfailure terminallastcommand terminalselection getterminaloutput get_terminal_output killterminal awaitterminal sendtoterminal gettaskoutput runnotebookcell runnotebooks vscodeapi extensions opensimplebrowser openintegratedbrowser installextension runvscodecommand newworkspace getprojectsetupinfo vscode runsubagentlogs switchagent toolsearch resolvememoryfileuri openbrowserpage browser'; // prettier-ignore

const table = (names: string, value: readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));

const because = (names: string, why: string): Record<string, string> =>
  Object.fromEntries(names.split(' ').map((name) => [name, why]));

const COPILOT_TOOLS: ToolTable = {
  sources: {
    ...table(READS, ['files']),
    ...table(WRITES, ['files:write']),
    ...table(RUNS, ['shell']),
    ...table(FETCHES, ['web']),
    ...table(ASKS, ['person']),
  },
  parts: { runtests: 'shell', run_tests: 'shell', runtest: 'shell' },
  without: {
    ...because(OF_EDITOR, NO_EDITOR),
    ...because('todo todos todowrite manage_todo_list', NO_LIST),
    ...because('githubrepo github_repo githubtextsearch', NOT_THE_SITE),
    ...because('websearch web_search', NO_SEARCH),
    ...because('memory', NO_MEMORY),
    ...because('think sequential-thinking', 'a model thinks by itself'),
  },
  starters: ['agent', 'custom-agent', 'task', 'runsubagent', 'subagent'],
  all: ['files', 'files:write', 'shell', 'web'],
  foldsCase: true,
  /** `server/tool`, or `publisher/server/tool`. A name with a dot before a single slash is that of an extension. */
  serverTool(name) {
    const parts = name.split('/');
    if (parts.length < 2 || parts.length > 3 || parts.some((part) => part === '') || /\s/.test(name)) return undefined;
    if (parts.length === 2 && parts[0]!.includes('.')) return undefined;
    return { server: parts.at(-2)!, tool: parts.at(-1) };
  },
};

/** The sets of VS Code, and the right that a tool of each may be. */
const SETS: Readonly<Record<string, string>> = {
  vscode: 'person',
  execute: 'shell',
  runcommands: 'shell',
  runtasks: 'shell',
  runnotebooks: 'shell',
  read: 'files',
  search: 'files',
  edit: 'files:write',
  web: 'web',
  agent: 'spawn',
  browser: 'web',
};

/** `search/codebase` is codebase: a set says only where a tool belongs. One that belongs elsewhere is another tool. */
function withoutSet(name: string): string {
  const [, set = '', tool] = /^(\w+)\/(.+)$/.exec(name) ?? [];
  const low = set.toLowerCase();
  if (tool === undefined || !Object.hasOwn(SETS, low)) return name;
  if (tool === '*') return set;
  const sources = COPILOT_TOOLS.sources[tool.toLowerCase()];
  return sources === undefined || sources.includes(SETS[low]!) ? tool : `${set} ${tool}`;
}

const readServers: KeyReader = (value, draft, key) => {
  if (value.kind !== 'map') {
    draft.lose(key, 'servers are declared under mcpServers in cadre.yaml', 'reference');
    return;
  }
  for (const { key: server, value: declared } of value.entries.values()) {
    const tools = asMap(declared)?.entries.get('tools')?.value;
    const { notes } = ofServer(server, undefined, declarationOf(asMap(declared)));
    if (draft.namesTools) nameServer(server, tools === undefined ? ['*'] : namesOf(tools), draft);
    else
      for (const tool of tools === undefined ? ['*'] : namesOf(tools))
        draft.rights.add(`mcp:${serverOf(server)}${tool === '*' ? '' : `/${tool}`}`);
    draft.notes.push(...notes);
  }
};

/** An agent that names its tools has those of a server that both lists name. A bare name of a server is all of it. */
function nameServer(server: string, offered: readonly string[], draft: AgentDraft): void {
  const own = serverOf(server);
  const all = `mcp:${own}`;
  for (const note of draft.notes.filter(({ kind, what }) => kind === 'lost' && what === server)) {
    draft.notes.splice(draft.notes.indexOf(note), 1);
    draft.rights.add(all);
  }
  if (offered.includes('*')) return;
  const isWhole = draft.rights.delete(all);
  for (const right of draft.rights)
    if (right.startsWith(`${all}/`) && !offered.includes(right.slice(all.length + 1))) draft.rights.delete(right);
  if (isWhole) for (const tool of offered) draft.rights.add(`${all}/${tool}`);
}

const serverOf = (written: string): string => ofServer(written).rights[0]!.slice('mcp:'.length);

const declarationOf = (declared: MapNode | undefined): string =>
  declared === undefined
    ? '{ command: … }'
    : serverLine(textAt(declared, 'url'), textAt(declared, 'command'), jsonAt(declared, 'args'));

/** Agents that it may start, of those that the tool `agent` starts. */
const readAgents: KeyReader = (value, draft) => {
  const names = namesOf(value);
  if (!draft.rights.has('spawn') || names.includes('*')) return;
  draft.rights.delete('spawn');
  for (const name of names) draft.refer('agents', name, draft.context.agentNamed(name));
};

const refusesCalls = 'any agent that may start agents may start it here';

const KEYS: KeyTable = {
  model: (value, draft) =>
    putModels(
      draft,
      (value.kind === 'list' ? namesOf(value) : [scalarText(value) ?? '']).map((one) => modelShown(one, draft)),
      'model',
    ), // prettier-ignore
  'argument-hint': asText('usage'),
  agents: readAgents,
  'mcp-servers': readServers,
  mcpServers: readServers,
  handoffs: leaveOut(
    'a person takes the answer to another agent; `next`, `handoff` and `router` do it without one',
    'reference',
  ),
  hooks: readHooks,
  skills: asSkills,
  'disable-model-invocation': (value, draft, key) => {
    if (isTrue(value)) draft.lose(key, refusesCalls, 'restriction');
  },
  infer: (value, draft, key) => {
    if (value.kind === 'scalar' && value.value === false) draft.lose(key, refusesCalls, 'restriction');
  },
  'user-invocable': skipKey,
  'user-invokable': skipKey,
  target: skipKey,
  metadata: skipKey,
  version: skipKey,
  license: skipKey,
  mode: skipKey,
  color: NO_COLOURS,
};

const ONLY_HERE = ['mcp-servers', 'handoffs', 'user-invocable', 'user-invokable', 'infer'];

export const copilot: AgentDialect = {
  name: 'copilot',
  title: 'GitHub Copilot',
  endings: /\.md$/i,
  isPlace: (path) => /(?:^|\/)\.github\/(?:agents|chatmodes)\/|\.(?:agent|chatmode)\.md$/i.test(path),
  hasKeys: ({ tree }) => ONLY_HERE.some((key) => tree.entries.has(key)) && !tree.entries.has('allowed-tools'),
  draft: (agent, context) =>
    markdownDraft(agent, context, { keys: KEYS, tools: { ...COPILOT_TOOLS, nameOf: withoutSet } }),
};
