// opencode: `.opencode/agent/*.md`.

import type { AgentDialect } from '../dialect.ts';
import { asCount, asNumber, asReasoning, asSkills, type KeyTable, NO_COLOURS, skipKey } from '../key-table.ts';
import { asModel } from '../model-names.ts';
import { isTrue, scalarText } from '../nodes.ts';
import { grantedTools, NO_LIST, NO_SEARCH, type ToolTable } from '../tool-table.ts';
import { switchOff } from './claude.ts';
import { markdownDraft } from './markdown.ts';
import { readPermissions } from './permissions.ts';

const OPENCODE_TOOLS: ToolTable = {
  sources: {
    read: ['files'],
    glob: ['files'],
    grep: ['files'],
    list: ['files'],
    edit: ['files:write'],
    write: ['files:write'],
    patch: ['files:write'],
    apply_patch: ['files:write'],
    multiedit: ['files:write'],
    bash: ['shell'],
    webfetch: ['web'],
    question: ['person'],
  },
  without: {
    websearch: NO_SEARCH,
    codesearch: NO_SEARCH,
    todowrite: NO_LIST,
    todoread: NO_LIST,
    skill: 'the key `skills` says which skills it has',
    lsp: 'there is no language server',
  },
  starters: ['task'],
  all: ['files', 'files:write', 'shell', 'web'],
  foldsCase: true,
  /** `context7_*` is every tool of a server. */
  serverTool(name) {
    const [, named, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
    if (named !== undefined) return { server: named, tool };
    const [, server] = /^([A-Za-z][\w.-]*?)_\*$/.exec(name) ?? [];
    return server === undefined || server === 'mcp' ? undefined : { server };
  },
};

const KEYS: KeyTable = {
  model: asModel,
  tools: (value, draft, key) => {
    const on = value.kind === 'map' ? [...value.entries.values()].filter((one) => isTrue(one.value)) : [];
    const names = on.map((one) => one.key).filter((name) => name !== '*');
    const granted = grantedTools(names, OPENCODE_TOOLS, () => undefined);
    draft.take(granted);
    switchOff(key, value, draft, granted.rights);
  },
  permission: (value, draft, key) => readPermissions(key, value, draft, OPENCODE_TOOLS),
  temperature: asNumber('temperature', 0, 2),
  top_p: asNumber('topP', 0, 1),
  steps: asCount('maxTurns', 10_000),
  maxSteps: asCount('maxTurns', 10_000),
  reasoningEffort: asReasoning,
  skills: asSkills,
  prompt: (value, draft, key) => {
    const text = scalarText(value);
    const [, file] = /^\{file:(.+)\}$/.exec(text ?? '') ?? [];
    const prompt = file === undefined ? text : draft.context.textAt(file);
    if (prompt === undefined)
      draft.lose(key, 'the file of its prompt is not among those that are imported', 'reference');
    else draft.prompt = [prompt, draft.prompt].filter((part) => part !== '').join('\n\n');
  },
  mode: skipKey,
  hidden: skipKey,
  disable: skipKey,
  disabled: skipKey,
  color: NO_COLOURS,
};

export const opencode: AgentDialect = {
  name: 'opencode',
  title: 'opencode',
  endings: /\.md$/i,
  isPlace: (path) => /(?:^|\/)\.?opencode\/agents?\//.test(path),
  hasKeys: ({ tree }) =>
    /^(?:primary|subagent|all)$/.test(scalarText(tree.entries.get('mode')?.value) ?? '') ||
    (tree.entries.get('tools')?.value.kind === 'map' && !tree.entries.has('kind')),
  isOff: ({ tree }) => isTrue(tree.entries.get('disable')?.value) || isTrue(tree.entries.get('disabled')?.value),
  draft: (agent, context) => markdownDraft(agent, context, { keys: KEYS, tools: OPENCODE_TOOLS }),
};
