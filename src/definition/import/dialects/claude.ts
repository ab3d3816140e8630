// Claude Code: `.claude/agents/*.md`, and the collections of files of the same shape.

import type { YamlNode } from '../../../base/yaml/node.ts';
import { ALL_KEYS } from '../../read/keys.ts';
import { rightsNamed } from '../denied-names.ts';
import type { AgentDialect } from '../dialect.ts';
import type { AgentDraft } from '../draft.ts';
import {
  asCount,
  asReasoning,
  asSkills,
  type KeyReader,
  type KeyTable,
  leaveOut,
  NO_COLOURS,
  NO_SERVERS,
  skipKey,
} from '../key-table.ts';
import { asModel, asModels } from '../model-names.ts';
import { isTrue, namesOf, textAt } from '../nodes.ts';
import { ALL_THAT_ACTS, anyOf, TAKES_NONE } from '../restriction.ts';
import { denial, grantedTools, NO_LIST, NO_SEARCH, serverToolLike, type ToolTable } from '../tool-table.ts';
import { markdownDraft } from './markdown.ts';
import { denialForm, readPermissions, restrictMode } from './permissions.ts';

const NO_TEAM = 'a team is declared with `team`, and talks by itself';
const NO_BACKGROUND = 'a command does not go on in the background';
const NO_PLAN = 'there is no plan mode';
const NO_RESOURCES = 'resources of MCP servers are not offered';

const CLAUDE_TOOLS: ToolTable = {
  sources: {
    Read: ['files'],
    Glob: ['files'],
    Grep: ['files'],
    LS: ['files'],
    NotebookRead: ['files'],
    Edit: ['files:write'],
    Write: ['files:write'],
    MultiEdit: ['files:write'],
    NotebookEdit: ['files:write'],
    Bash: ['shell'],
    WebFetch: ['web'],
    AskUserQuestion: ['person'],
  },
  without: {
    WebSearch: NO_SEARCH,
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
  },
  starters: ['Task', 'Agent'],
  // Those that change things ask here, as no import is trusted.
  all: ['files', 'files:write', 'shell', 'web'],
  takesOurs: true,
  namesAgents: true,
  serverTool: serverToolLike(/^mcp__([A-Za-z0-9._-]+?)(?:__(.+))?$/),
};

const denied: KeyReader = (value, draft, key) => {
  for (const name of namesOf(value))
    draft.restrictions.push(denial(`${key}: ${name}`, name, CLAUDE_TOOLS, denialForm(draft)));
};

/** Hooks that run before a tool may refuse it. */
export const readHooks: KeyReader = (value, draft, key) => {
  if (value.kind !== 'map') return;
  draft.lose(key, 'there are no hooks');
  for (const { key: event, value: hooks } of value.entries.values()) {
    if (!/^(?:pre_?tool_?use|permission_?request)$/i.test(event)) continue;
    for (const matcher of matchersIn(hooks)) {
      const what = `${key}: ${event}${matcher === '' ? '' : ` ${matcher}`}`;
      const each = matcher.split('|').map((one) => denial(what, one, CLAUDE_TOOLS, denialForm(draft)).takes);
      draft.restrictions.push({ what, takes: matcher === '' ? ALL_THAT_ACTS : anyOf(each) });
    }
  }
};

const matchersIn = (hooks: YamlNode): readonly string[] => {
  const each = hooks.kind === 'list' ? hooks.items : [hooks];
  return each.map((hook) => {
    const text = hook.kind === 'map' ? (textAt(hook, 'matcher') ?? '') : '';
    return /^[\w|]+$/.test(text) ? text : '';
  });
};

/** A map of tools that are on or off, as opencode has it. `on` are rights that those that are on name. */
export function switchOff(key: string, value: YamlNode, draft: AgentDraft, on: readonly string[]): void {
  if (value.kind !== 'map') return;
  const named = new Set(on);
  for (const { key: name, value: granted } of value.entries.values())
    if (isTrue(granted)) for (const right of rightsNamed(name) ?? []) named.add(right);
  for (const { key: name, value: granted } of value.entries.values()) {
    if (isTrue(granted)) continue;
    const off = denial(`${key}: ${name}`, name, CLAUDE_TOOLS, { paths: 'stars', unknown: ALL_THAT_ACTS });
    // `*` means every tool that has no switch of its own.
    draft.restrictions.push(name === '*' ? { ...off, takes: (right) => !named.has(right) && off.takes(right) } : off);
  }
}

const readPermission: KeyReader = (value, draft, key) => readPermissions(key, value, draft, CLAUDE_TOOLS);

/** Keys of ours that say nothing of rights: files of this shape may have them. */
const OURS: KeyTable = Object.fromEntries(
  [
    'usage',
    'temperature',
    'topP',
    'maxOutputTokens',
    'output',
    'input',
    'timeout',
    'modelTimeout',
    'toolTimeout',
    'budget',
  ]
    .filter((key) => Object.hasOwn(ALL_KEYS, key))
    .map((key) => [key, (value, draft) => draft.set(key, value)] satisfies [string, KeyReader]),
);

const LATER = 'what leads to other agents is said by the tools that it names';

const KEYS: KeyTable = {
  ...OURS,
  model: asModel,
  models: asModels,
  tools: (value, draft, key) => switchOff(key, value, draft, []),
  disallowedTools: denied,
  permissionMode: (value, draft, key) => restrictMode(key, value, draft),
  permission: readPermission,
  permissions: readPermission,
  hooks: readHooks,
  skills: asSkills,
  maxTurns: asCount('maxTurns', 10_000),
  effort: asReasoning,
  reasoning: asReasoning,
  color: NO_COLOURS,
  memory: leaveOut('an agent keeps nothing between runs'),
  mcpServers: NO_SERVERS,
  isolation: leaveOut('the workspace is the same for all agents of a run', 'restriction'),
  background: leaveOut('the agent that starts it decides that'),
  trust: leaveOut('nothing that comes from elsewhere is trusted; add it yourself'),
  approve: (value, draft) => draft.restrictions.push(...askedBy(value)),
  deny: (value, draft, key) => {
    for (const name of namesOf(value))
      draft.restrictions.push(
        denial(`${key}: ${name}`, name, CLAUDE_TOOLS, { paths: 'gitignore', unknown: ALL_THAT_ACTS }),
      );
  },
  agents: leaveOut(LATER, 'reference'),
  spawn: leaveOut(LATER, 'reference'),
  version: skipKey,
};

const askedBy = (value: YamlNode) =>
  namesOf(value).map((name) => ({
    what: `approve: ${name}`,
    takes: TAKES_NONE,
    asks: (right: string): boolean => name === right || name.startsWith(`${right}/`) || name.startsWith(`${right}(`),
    isExact: true as const,
  }));

export const claude: AgentDialect = {
  name: 'claude',
  title: 'Claude Code',
  endings: /\.md$/i,
  isPlace: (path) => /(?:^|\/)\.claude\/agents\//.test(path),
  hasKeys: () => false,
  draft(agent, context) {
    const draft = markdownDraft(agent, context, { keys: KEYS, tools: CLAUDE_TOOLS });
    if (draft.has('skills')) draft.forgive('Skill');
    return draft;
  },
};

/** The tools of ours that do what these tools of Claude Code do. */
export const sourcesOfClaude = (names: readonly string[]): readonly string[] =>
  grantedTools(names, CLAUDE_TOOLS, () => undefined).rights.filter((right) => right !== 'spawn');
