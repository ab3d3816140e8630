// Docker Agent: one YAML file with a map of agents, and beside it what they share.

import type { MapNode, YamlNode } from '../../../base/yaml/node.ts';
import { fileNameOf } from '../agent-name.ts';
import type { AgentDialect, ForeignFile } from '../dialect.ts';
import { AgentDraft } from '../draft.ts';
import {
  asCount,
  asSkills,
  asText,
  type KeyReader,
  type KeyTable,
  leaveOut,
  putSchema,
  readKeys,
  skipKey,
} from '../key-table.ts';
import { modelReference, putModels } from '../model-names.ts';
import { asMap, isTrue, itemsOf, jsonAt, mapAt, NO_MAP, namesOf, numberAt, scalarText, textAt } from '../nodes.ts';
import { ALL_THAT_ACTS, keepsOnly, TAKES_NONE } from '../restriction.ts';
import { readHooks } from './claude.ts';
import { dockerDenial, readToolset } from './docker-toolsets.ts';

/** The first agent of a file is the one that is talked to; it is called root, whatever it does. */
const FIRST = 'root';

const ONLY_HERE = [
  'instruction',
  'instruction_file',
  'toolsets',
  'sub_agents',
  'handoffs',
  'structured_output',
  'harness',
  'use_toolsets',
];

function membersOf(
  { tree }: ForeignFile,
  path: string,
): readonly { readonly member: string; readonly called: string }[] {
  const names = [...mapAt(tree, 'agents').entries]
    .filter(([, { value }]) => value.kind === 'map')
    .map(([name]) => name);
  return names.map((member) => ({ member, called: member === FIRST ? fileNameOf(path) : member }));
}

const hasKeys = ({ tree }: ForeignFile): boolean => {
  const agents = [...mapAt(tree, 'agents').entries.values()].map(({ value }) => asMap(value));
  return (
    agents.length > 0 &&
    agents.every((one) => one !== undefined) &&
    agents.some((one) => ONLY_HERE.some((key) => one?.entries.has(key)))
  );
};

/** The whole file of an agent, which its keys refer to. */
const fileTables = new WeakMap<AgentDraft, MapNode>();
const fileOf = (draft: AgentDraft): MapNode => fileTables.get(draft) ?? NO_MAP;

const refersAs =
  (key: 'agents' | 'router' | 'handoff'): KeyReader =>
  (value, draft) => {
    for (const written of namesOf(value)) draft.refer(key, written, draft.context.agentNamed(written));
  };

const readInstructionFile: KeyReader = (value, draft, key) => {
  const texts = namesOf(value).map((path) => draft.context.textAt(path));
  if (texts.includes(undefined))
    draft.lose(key, 'the file of its prompt is not among those that are imported', 'reference');
  else draft.prompt = texts.join('\n\n').trim();
};

const readSkills: KeyReader = (value, draft, key) => {
  const plain = itemsOf(value).filter((item) => !(item.kind === 'scalar' && item.value === 'local'));
  if (value.kind !== 'list') asSkills(value, draft, key);
  else if (plain.length === 0) draft.put('skills', true, key);
  else asSkills({ ...value, items: plain }, draft, key);
};

const readSafety: KeyReader = (value, draft, key) => {
  const mode = scalarText(value) ?? '';
  const what = `${key}: ${mode}`;
  if (mode === 'strict') draft.restrictions.push({ what, takes: TAKES_NONE, asks: () => true, isExact: true });
  else if (mode === 'balanced' || mode === 'autonomous') draft.lose(what, '`trust` says what need not ask');
  else draft.restrictions.push({ what, takes: ALL_THAT_ACTS });
};

const readPromptFiles: KeyReader = (value, draft, key) => {
  const paths = namesOf(value);
  const usable = paths.filter((path) => !/^(?:[~/]|[A-Za-z]:)|\.\.|[\p{Cc}\\]/u.test(path));
  if (usable.length > 0) draft.put('projectFiles', usable, key);
  for (const path of paths)
    if (!usable.includes(path)) draft.lose(`${key}: ${path}`, 'project files lie in the workspace', 'reference');
};

const shared =
  (section: string, read: (value: YamlNode, draft: AgentDraft, name: string) => void): KeyReader =>
  (value, draft, key) => {
    for (const name of namesOf(value)) {
      const entry = mapAt(fileOf(draft), section).entries.get(name);
      if (entry === undefined) draft.lose(`${key}: ${name}`, `the file has no ${section} of that name`, 'reference');
      else read(entry.value, draft, name);
    }
  };

const takeToolset = (value: YamlNode, draft: AgentDraft): void =>
  readToolset(asMap(value) ?? NO_MAP, fileOf(draft), draft);

const KEYS: KeyTable = {
  model: skipKey,
  fallback: skipKey,
  name: skipKey,
  description: asText('description'),
  instruction: (value, draft) => {
    draft.prompt = scalarText(value) ?? '';
  },
  instruction_file: readInstructionFile,
  sub_agents: refersAs('agents'),
  handoffs: refersAs('router'),
  force_handoff: refersAs('handoff'),
  toolsets: (value, draft) => {
    for (const one of itemsOf(value)) takeToolset(one, draft);
  },
  use_toolsets: shared('toolsets', takeToolset),
  structured_output: (value, draft, key) => putSchema(draft, 'output', jsonAt(asMap(value) ?? NO_MAP, 'schema'), key),
  max_iterations: asCount('maxTurns', 10_000),
  add_prompt_files: readPromptFiles,
  skills: readSkills,
  use_skills: shared('skills', (value, draft) => readSkills(value, draft, 'use_skills')),
  hooks: readHooks,
  readonly: (value, draft, key) => {
    if (!isTrue(value)) return;
    const takes = keepsOnly('files', 'person', 'web');
    draft.restrictions.push({
      what: key,
      takes: (right) => takes(right) && right !== 'spawn' && !right.startsWith('agent:'),
    });
  },
  safety: readSafety,
  budgets: shared('budgets', (value, draft) => putBudget(asMap(value) ?? NO_MAP, draft)),
  routing: leaveOut('`router` says which agents a request may go to', 'reference'),
  harness: leaveOut('its work is done by another program; give it a model and tools', 'tool'),
  use_commands: leaveOut('there are no commands'),
  commands: leaveOut('there are no commands'),
  welcome_message: leaveOut('nothing is said before the first request'),
  add_date: leaveOut('its prompt says nothing of the date'),
  add_environment_info: leaveOut('its prompt says nothing of the machine'),
  num_history_items: leaveOut('the conversation is kept whole, or summed up'),
  session_compaction: leaveOut('see `compact`'),
  compaction_threshold: leaveOut('see `compact`'),
  compaction_model: leaveOut('see `compact`'),
  max_consecutive_tool_calls: leaveOut('see `stuck`'),
  redact_secrets: leaveOut('secrets are always taken out'),
  code_mode_tools: leaveOut('tools are called one by one'),
  cache: leaveOut('answers are not kept for a second question'),
};

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/** The smaller of two limits counts. */
function putBudget(budget: MapNode, draft: AgentDraft): void {
  const [usd, tokens] = [numberAt(budget, 'max_cost'), numberAt(budget, 'max_tokens')];
  const time = textAt(budget, 'max_time');
  const own = {
    ...(usd !== undefined && usd > 0 && { usd }),
    ...(tokens !== undefined && tokens > 0 && { tokens: Math.floor(tokens) }),
    ...(time !== undefined && DURATION.test(time) && { time }),
  };
  if (time !== undefined && !DURATION.test(time))
    draft.lose(`budget: ${time}`, 'write it as 90s, 10m or 2h', 'restriction');
  if (Object.keys(own).length === 0) return;
  if (draft.has('budget')) draft.lose('budget', 'it has one budget here, the first that its file names', 'restriction');
  else draft.put('budget', own);
}

/** `model: fast` is one of the models of the file; anything else is a name of a model itself. */
function modelsOf(written: string | undefined, draft: AgentDraft, depth = 0): readonly string[] {
  const declared =
    written === undefined ? undefined : asMap(mapAt(fileOf(draft), 'models').entries.get(written)?.value);
  if (declared === undefined || depth > 4) return [modelReference(written, draft)].flatMap((one) => one ?? []);
  const candidates = namesOf(declared.entries.get('first_available')?.value);
  if (candidates.length > 0) return candidates.flatMap((one) => modelsOf(one, draft, depth + 1));
  if (declared.entries.has('routing'))
    draft.lose(`model: ${written}`, 'no model is chosen by the words of a request', 'reference');
  const [provider, model] = [textAt(declared, 'provider'), textAt(declared, 'model')];
  return [modelReference(provider === undefined ? model : `${provider}/${model ?? ''}`, draft)].flatMap(
    (one) => one ?? [],
  );
}

/** The settings of its model, which are those of the agent here. */
function putSampling(written: string | undefined, draft: AgentDraft): void {
  const declared = asMap(mapAt(fileOf(draft), 'models').entries.get(written ?? '')?.value);
  if (declared === undefined) return;
  const [temperature, topP, most] = [
    numberAt(declared, 'temperature'),
    numberAt(declared, 'top_p'),
    numberAt(declared, 'max_tokens'),
  ];
  if (temperature !== undefined && temperature >= 0 && temperature <= 2) draft.put('temperature', temperature, 'model');
  if (topP !== undefined && topP >= 0 && topP <= 1) draft.put('topP', topP, 'model');
  if (most !== undefined && Number.isInteger(most) && most > 0) draft.put('maxOutputTokens', most, 'model');
  const effort = textAt(declared, 'thinking_budget');
  if (effort !== undefined && /^(?:none|low|medium|high)$/.test(effort)) draft.put('reasoning', effort, 'model');
  const url = textAt(declared, 'base_url');
  if (url !== undefined)
    draft.tell('todo', `model: ${written}`, `declare its server under providers in cadre.yaml: ${url}`);
}

const SECTIONS: ReadonlySet<string> = new Set(
  'version agents models providers toolsets mcps commands skills permissions budget budgets runtime metadata'.split(
    ' ',
  ),
);

/** A part of the file that is about all of its agents is named once, at its first agent. */
function nameSections(tree: MapNode, draft: AgentDraft): void {
  for (const key of tree.entries.keys()) {
    if (key === 'workflow')
      draft.lose(key, '`next` says which agent follows, and maps run several at once', 'reference');
    else if (!SECTIONS.has(key)) draft.lose(key.slice(0, 80), 'this part of the file means nothing here');
  }
}

function restrictByFile(tree: MapNode, draft: AgentDraft): void {
  const permissions = mapAt(tree, 'permissions');
  for (const written of namesOf(permissions.entries.get('deny')?.value))
    draft.restrictions.push(dockerDenial(written, draft));
  for (const written of namesOf(permissions.entries.get('ask')?.value)) {
    const { what, takes } = dockerDenial(written.split(':cmd=')[0]!, draft, 'ask');
    draft.restrictions.push({ what, takes: TAKES_NONE, asks: takes, isExact: true });
  }
  if (permissions.entries.has('allow')) draft.lose('permissions: allow', '`trust` says what need not ask');
  putBudget(mapAt(tree, 'budget'), draft);
  const safety = mapAt(tree, 'runtime').entries.get('safety');
  if (safety !== undefined) readSafety(safety.value, draft, 'safety');
}

export const docker: AgentDialect = {
  name: 'docker',
  title: 'Docker Agent',
  endings: /\.ya?ml$/i,
  isPlace: () => false,
  hasKeys,
  refusal: (file) => (membersOf(file, '').length === 0 ? 'it has no agents' : undefined),
  members: membersOf,
  draft({ file, member = '', called }, context) {
    const tree = asMap(mapAt(file.tree, 'agents').entries.get(member)?.value) ?? NO_MAP;
    const draft = new AgentDraft(tree, context);
    fileTables.set(draft, file.tree);
    draft.tellName(called, member);
    const model = textAt(tree, 'model');
    const fallback = namesOf(mapAt(tree, 'fallback').entries.get('models')?.value);
    putModels(
      draft,
      [model, ...fallback].flatMap((one) => modelsOf(one, draft)),
      'model',
    );
    putSampling(model, draft);
    draft.namesTools = tree.entries.has('toolsets') || tree.entries.has('use_toolsets');
    readKeys(tree, KEYS, draft);
    restrictByFile(file.tree, draft);
    if (member === membersOf(file, '')[0]?.member) nameSections(file.tree, draft);
    draft.tellDescription();
    return draft;
  },
};
