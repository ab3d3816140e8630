// Codex: `.codex/agents/*.toml`. All that an agent does there it does by commands and patches, in a sandbox.

import type { AgentDialect } from '../dialect.ts';
import { AgentDraft } from '../draft.ts';
import { asReasoning, asText, type KeyReader, type KeyTable, leaveOut, readKeys, skipKey } from '../key-table.ts';
import { joinedModel, modelReference, putModels } from '../model-names.ts';
import { asMap, isTrue, itemsOf, jsonAt, NO_MAP, namesOf, scalarText, serverLine, textAt } from '../nodes.ts';
import { keepsOnly, unreadable } from '../restriction.ts';
import { denial, NO_SEARCH, ofServer, serverToolLike, type ToolTable } from '../tool-table.ts';

const CODEX_TOOLS: ToolTable = {
  sources: {},
  without: { web_search: NO_SEARCH, view_image: 'pictures come with the request' },
  starters: [],
  all: ['files', 'files:write', 'shell'],
  serverTool: serverToolLike(/^mcp__(.+?)__(.+)$/),
};

/** Commands that only read cannot be had alone here. */
const SANDBOXES: Readonly<Record<string, readonly string[]>> = {
  'read-only': ['files'],
  'workspace-write': CODEX_TOOLS.all,
  'danger-full-access': CODEX_TOOLS.all,
};

const readSandbox: KeyReader = (value, draft, key) => {
  const mode = scalarText(value) ?? '';
  const kept = Object.hasOwn(SANDBOXES, mode) ? SANDBOXES[mode] : undefined;
  if (kept === undefined) draft.restrictions.push(unreadable(`${key}: ${mode.slice(0, 80)}`));
  else if (mode === 'read-only')
    draft.restrictions.push({
      what: `${key}: ${mode}`,
      takes: (right) => right === 'shell' || right === 'files:write',
    });
};

const ON = { kind: 'scalar', value: true, start: 0, end: 0 } as const;

const readServers: KeyReader = (value, draft, key) => {
  if (value.kind !== 'map') return draft.lose(key, 'servers are declared under mcpServers in cadre.yaml', 'reference');
  for (const { key: server, value: given } of value.entries.values()) {
    const declared = asMap(given) ?? NO_MAP;
    const isOn = declared.entries.get('enabled')?.value ?? ON;
    if (!isTrue(isOn)) continue;
    const enabled = declared.entries.get('enabled_tools')?.value;
    const declaration = serverLine(textAt(declared, 'url'), textAt(declared, 'command'), jsonAt(declared, 'args'));
    for (const tool of enabled === undefined ? [undefined] : namesOf(enabled))
      draft.take(ofServer(server, tool, declaration));
    for (const tool of namesOf(declared.entries.get('disabled_tools')?.value))
      draft.restrictions.push(
        denial(`${server}: ${tool}`, `mcp__${server}__${tool}`, CODEX_TOOLS, { paths: 'stars', unknown: keepsOnly() }),
      );
  }
};

const readTools: KeyReader = (value, draft, key) => {
  const on = value.kind === 'map' ? [...value.entries.values()].filter((one) => isTrue(one.value)) : [];
  for (const { key: name } of on)
    draft.lose(`${key}: ${name}`, CODEX_TOOLS.without[name] ?? 'nothing here does that', 'tool');
};

const KEYS: KeyTable = {
  name: skipKey,
  description: asText('description'),
  developer_instructions: (value, draft) => {
    draft.prompt = scalarText(value) ?? '';
  },
  model: skipKey,
  model_provider: skipKey,
  model_reasoning_effort: asReasoning,
  sandbox_mode: readSandbox,
  mcp_servers: readServers,
  tools: readTools,
  web_search: (value, draft, key) => {
    if (!/^(?:disabled|false)$/.test(scalarText(value) ?? 'disabled')) draft.lose(key, NO_SEARCH, 'tool');
  },
  skills: (value, draft, key) => {
    const config = itemsOf(asMap(value)?.entries.get('config')?.value);
    const paths = config.flatMap((one) => scalarText(asMap(one)?.entries.get('path')?.value) ?? []);
    draft.lose(
      paths.length === 0 ? key : `${key}: ${paths.join(', ')}`,
      'put these folders into skills/, and name them',
      'reference',
    );
  },
  approval_policy: (value, draft, key) => {
    // Here commands and changes ask whatever it says.
    if (value.kind === 'map') draft.lose(key, 'every command and every change asks here', 'restriction');
  },
  nickname_candidates: leaveOut('an agent has one name'),
  model_verbosity: leaveOut('the prompt says how long an answer is'),
  model_reasoning_summary: leaveOut('thoughts are shown as they come'),
  model_instructions_file: leaveOut('its prompt is the body of its own file', 'reference'),
};

export const codex: AgentDialect = {
  name: 'codex',
  title: 'Codex',
  endings: /\.toml$/i,
  isPlace: (path) => /(?:^|\/)\.codex\/agents\//.test(path),
  hasKeys: ({ tree }) => textAt(tree, 'developer_instructions') !== undefined && textAt(tree, 'name') !== undefined,
  refusal: ({ tree }) =>
    textAt(tree, 'developer_instructions') === undefined ? 'it has no developer_instructions' : undefined,
  draft({ file: { tree }, called }, context) {
    const draft = new AgentDraft(tree, context);
    draft.tellName(called);
    draft.take({ rights: CODEX_TOOLS.all, notes: [] });
    const model = joinedModel(textAt(tree, 'model_provider'), textAt(tree, 'model'));
    putModels(draft, [modelReference(model, draft)], 'model');
    readKeys(tree, KEYS, draft);
    draft.tellDescription();
    return draft;
  },
};
