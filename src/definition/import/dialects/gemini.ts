// Gemini CLI: `.gemini/agents/*.md`.

import type { AgentDialect } from '../dialect.ts';
import { asCount, asNumber, type KeyTable, NO_COLOURS, NO_SERVERS, skipKey } from '../key-table.ts';
import { asModel } from '../model-names.ts';
import { scalarText, textAt } from '../nodes.ts';
import { NO_LIST, NO_MEMORY, NO_SEARCH, type ToolTable } from '../tool-table.ts';
import { markdownDraft } from './markdown.ts';

const NO_SUB_AGENTS = 'it is an agent of that program';

const GEMINI_TOOLS: ToolTable = {
  sources: {
    read_file: ['files'],
    read_many_files: ['files'],
    list_directory: ['files'],
    glob: ['files'],
    grep_search: ['files'],
    search_file_content: ['files'],
    write_file: ['files:write'],
    replace: ['files:write'],
    run_shell_command: ['shell'],
    web_fetch: ['web'],
    ask_user: ['person'],
  },
  without: {
    google_web_search: NO_SEARCH,
    web_search: NO_SEARCH,
    save_memory: NO_MEMORY,
    write_todos: NO_LIST,
    activate_skill: 'the key `skills` says which skills it has',
    codebase_investigator: NO_SUB_AGENTS,
    generalist: NO_SUB_AGENTS,
    cli_help: NO_SUB_AGENTS,
    'mcp_*': 'servers are named one by one, as mcp:<server>',
  },
  starters: [],
  all: ['files', 'files:write', 'shell', 'web'],
  /** `mcp_server_tool`, and `server__tool` of earlier versions. */
  serverTool(name) {
    const [, server, tool] = /^mcp_([A-Za-z0-9.-]+)_(.+)$/.exec(name) ?? /^([A-Za-z][\w.-]*?)__(.+)$/.exec(name) ?? [];
    return server === undefined ? undefined : { server, tool };
  },
};

const KEYS: KeyTable = {
  kind: skipKey,
  display_name: skipKey,
  model: asModel,
  temperature: asNumber('temperature', 0, 2),
  max_turns: asCount('maxTurns', 10_000),
  timeout_mins: (value, draft, key) => {
    const minutes = Number(scalarText(value));
    if (minutes > 0 && minutes <= 30_000) draft.put('timeout', `${Math.round(minutes * 60)}s`, key);
    else draft.lose(key, 'timeout takes a duration', 'restriction');
  },
  mcpServers: NO_SERVERS,
  mcp_servers: NO_SERVERS,
  color: NO_COLOURS,
};

export const gemini: AgentDialect = {
  name: 'gemini',
  title: 'Gemini CLI',
  endings: /\.md$/i,
  isPlace: (path) => /(?:^|\/)(?:\.gemini|gemini-cli)\/agents\//.test(path),
  hasKeys: ({ tree }) =>
    /^(?:local|remote)$/.test(textAt(tree, 'kind') ?? '') ||
    tree.entries.has('max_turns') ||
    tree.entries.has('timeout_mins'),
  refusal: ({ tree }) =>
    textAt(tree, 'kind') === 'remote'
      ? 'it is an agent that runs elsewhere; a REST tool or an MCP server can reach it'
      : undefined,
  draft: (agent, context) => markdownDraft(agent, context, { keys: KEYS, tools: GEMINI_TOOLS }),
};
