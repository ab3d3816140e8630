// goose: recipes, in YAML or JSON. A recipe of its desktop program stands below `recipe`.

import type { MapNode, YamlNode } from '../../../base/yaml/node.ts';
import type { AgentDialect, ForeignFile } from '../dialect.ts';
import { AgentDraft } from '../draft.ts';
import { asText, type KeyReader, type KeyTable, leaveOut, putSchema, readKeys, skipKey } from '../key-table.ts';
import { joinedModel, modelReference, putModels } from '../model-names.ts';
import {
  asMap,
  isEmpty,
  itemsOf,
  jsonAt,
  NO_MAP,
  namesOf,
  numberAt,
  scalarText,
  serverLine,
  textAt,
} from '../nodes.ts';
import { NO_LIST, NO_MEMORY, ofServer } from '../tool-table.ts';

const recipeOf = ({ tree }: ForeignFile): MapNode => asMap(tree.entries.get('recipe')?.value) ?? tree;

/** The tools of the extension `developer`, which an agent has that names no extensions. */
const DEVELOPER: Readonly<Record<string, readonly string[]>> = {
  shell: ['shell'],
  text_editor: ['files', 'files:write'],
  read: ['files'],
  read_file: ['files'],
  tree: ['files'],
  analyze: ['files'],
  list_files: ['files'],
  write: ['files:write'],
  edit: ['files:write'],
  write_file: ['files:write'],
  edit_file: ['files:write'],
  str_replace: ['files:write'],
};

const ALL_OF_DEVELOPER = ['files', 'files:write', 'shell'];

/** Extensions that come with goose, and why nothing here does the same. */
const WITHOUT: Readonly<Record<string, string>> = {
  todo: NO_LIST,
  memory: NO_MEMORY,
  chatrecall: NO_MEMORY,
  summon: 'agents that it calls are named under `agents`; `subagent` and `spawn` start others',
  extensionmanager: 'its file says which tools it has',
  code_execution: 'tools are called one by one',
};

/** An extension that starts a program or reaches an address is an MCP server. */
const SERVERS: ReadonlySet<string> = new Set(['stdio', 'streamable_http', 'sse']);

const readExtensions: KeyReader = (value, draft) => {
  draft.namesTools = true;
  for (const item of itemsOf(value)) {
    const extension = asMap(item) ?? NO_MAP;
    const name = textAt(extension, 'name') ?? scalarText(item) ?? '';
    const tools = namesOf(extension.entries.get('available_tools')?.value);
    if (SERVERS.has(textAt(extension, 'type') ?? '')) takeServer(name, extension, tools, draft);
    else if (name.toLowerCase() === 'developer') takeDeveloper(tools, draft);
    else draft.lose(`extension ${name}`.slice(0, 80), withoutReason(name), 'tool');
  }
};

const withoutReason = (name: string): string =>
  Object.hasOwn(WITHOUT, name) ? WITHOUT[name]! : 'nothing here does the same; an MCP server can offer it';

/** An empty list of tools means all of them there. */
function takeDeveloper(tools: readonly string[], draft: AgentDraft): void {
  if (tools.length === 0) return draft.take({ rights: ALL_OF_DEVELOPER, notes: [] });
  for (const tool of tools) {
    if (Object.hasOwn(DEVELOPER, tool)) draft.take({ rights: DEVELOPER[tool]!, notes: [] });
    else draft.lose(`developer: ${tool}`.slice(0, 80), 'nothing here does the same', 'tool');
  }
}

function takeServer(name: string, extension: MapNode, tools: readonly string[], draft: AgentDraft): void {
  const uri = textAt(extension, 'uri') ?? textAt(extension, 'url');
  const declaration = serverLine(uri, textAt(extension, 'cmd'), jsonAt(extension, 'args'));
  for (const tool of tools.length === 0 ? [undefined] : tools) draft.take(ofServer(name, tool, declaration));
}

const readSubRecipes: KeyReader = (value, draft, key) => {
  for (const item of itemsOf(value)) {
    const recipe = asMap(item) ?? NO_MAP;
    const path = textAt(recipe, 'path') ?? '';
    const name = textAt(recipe, 'name') ?? path;
    draft.refer('agents', name, path === '' ? undefined : draft.context.agentAt(path));
    if (asMap(recipe.entries.get('values')?.value) !== undefined)
      draft.lose(`${key}: ${name}: values`, 'the agent that calls it says every value', 'schema');
  }
};

/** One answer, and one more for each try again. Every command must end well. */
const readRetry: KeyReader = (value, draft, key) => {
  const retry = asMap(value) ?? NO_MAP;
  const checks = itemsOf(retry.entries.get('checks')?.value).map(
    (one) => scalarText(one) ?? textAt(asMap(one) ?? NO_MAP, 'command'),
  );
  // Here a command is the same in every run, whatever the request says.
  const commands = checks.flatMap((one) => (one === undefined || one.includes('{{') ? [] : [one]));
  if (commands.length < checks.length)
    draft.lose(`${key}: checks`, 'a check is a command, without values of the request', 'reference');
  const most = numberAt(retry, 'max_retries') ?? 1;
  if (commands.length > 0) {
    const [only, ...more] = commands;
    const command = more.length === 0 ? only : commands.map((one) => `(${one})`).join(' && ');
    draft.put(
      'repeat',
      { until: { command }, max: Math.min(100, Math.max(1, Math.floor(most) + 1)), fresh: true },
      key,
    );
  }
  if (retry.entries.has('on_failure')) draft.lose(`${key}: on_failure`, 'nothing runs between two answers');
  if (retry.entries.has('timeout_seconds'))
    draft.lose(`${key}: timeout_seconds`, 'a check may take as long as `toolTimeout` says');
};

const TYPES: Readonly<Record<string, string>> = { number: 'number', boolean: 'boolean' };

/** The values of a request, by the names that stand in its prompt. */
const readParameters: KeyReader = (value, draft, key) => {
  const parameters = itemsOf(value).flatMap((one) => asMap(one) ?? []);
  const named = parameters.flatMap((one) => {
    const name = textAt(one, 'key');
    return name === undefined
      ? []
      : [{ name, isNeeded: textAt(one, 'requirement') !== 'optional', schema: schemaOf(one) }];
  });
  if (named.length === 0) return;
  const properties = Object.fromEntries(named.map(({ name, schema }) => [name, schema]));
  const required = named.filter(({ isNeeded }) => isNeeded).map(({ name }) => name);
  putSchema(draft, 'input', { type: 'object', properties, ...(required.length > 0 && { required }) }, key);
};

function schemaOf(parameter: MapNode): Readonly<Record<string, unknown>> {
  const kind = textAt(parameter, 'input_type') ?? 'string';
  const options = namesOf(parameter.entries.get('options')?.value);
  const description = textAt(parameter, 'description');
  const fallback = textAt(parameter, 'default');
  return {
    ...(kind === 'select' && options.length > 0
      ? { enum: [...new Set(options)] }
      : { type: Object.hasOwn(TYPES, kind) ? TYPES[kind] : 'string' }),
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && kind !== 'number' && kind !== 'boolean' && { default: fallback }),
  };
}

const KEYS: KeyTable = {
  title: skipKey,
  name: skipKey,
  version: skipKey,
  author: skipKey,
  description: asText('description'),
  instructions: skipKey,
  prompt: skipKey,
  parameters: readParameters,
  extensions: readExtensions,
  sub_recipes: readSubRecipes,
  response: (value, draft, key) => {
    const schema = jsonAt(asMap(value) ?? NO_MAP, 'json_schema');
    if (schema !== undefined) putSchema(draft, 'output', schema, key);
  },
  retry: readRetry,
  settings: (value, draft, key) => {
    const settings = asMap(value) ?? NO_MAP;
    const model = joinedModel(textAt(settings, 'goose_provider'), textAt(settings, 'goose_model'));
    putModels(draft, [modelReference(model, draft)], key);
    const temperature = numberAt(settings, 'temperature');
    if (temperature !== undefined && temperature >= 0 && temperature <= 2) draft.put('temperature', temperature, key);
    const turns = numberAt(settings, 'max_turns');
    if (turns !== undefined && Number.isInteger(turns) && turns > 0)
      draft.put('maxTurns', Math.min(10_000, turns), key);
  },
  activities: leaveOut('nothing is said before the first request'),
};

/** Its instructions, and the first request that it always begins with. */
function promptOf(recipe: MapNode): string {
  const parts = [textAt(recipe, 'instructions'), textAt(recipe, 'prompt')].flatMap((one) => one ?? []);
  const names = itemsOf(recipe.entries.get('parameters')?.value).flatMap(
    (one) => scalarText(asMap(one)?.entries.get('key')?.value) ?? [],
  );
  const stands = names.filter((name) => parts.some((part) => new RegExp(`\\{\\{-?\\s*${escaped(name)}\\b`).test(part)));
  if (stands.length === 0) return parts.join('\n\n');
  const list = stands.map((name) => `\`{{ ${name} }}\``).join(', ');
  return [...parts, `${list}: each stands for the value of that name in the request.`].join('\n\n');
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

const isRecipe = (recipe: MapNode): boolean =>
  textAt(recipe, 'title') !== undefined &&
  textAt(recipe, 'description') !== undefined &&
  (textAt(recipe, 'instructions') !== undefined || textAt(recipe, 'prompt') !== undefined);

export const goose: AgentDialect = {
  name: 'goose',
  title: 'goose',
  endings: /\.(?:ya?ml|json)$/i,
  isPlace: () => false,
  hasKeys: (file) => isRecipe(recipeOf(file)),
  refusal: (file) =>
    textAt(recipeOf(file), 'instructions') === undefined && textAt(recipeOf(file), 'prompt') === undefined
      ? 'it has neither instructions nor a prompt'
      : undefined,
  members: (file) => {
    const title = textAt(recipeOf(file), 'title');
    return title === undefined ? [] : [{ called: title }];
  },
  references: (file) =>
    itemsOf(recipeOf(file).entries.get('sub_recipes')?.value).flatMap(
      (one) => textAt(asMap(one) ?? NO_MAP, 'path') ?? [],
    ),
  draft({ file, called }, context) {
    const recipe = recipeOf(file);
    const draft = new AgentDraft(recipe, context);
    draft.tellName(called);
    const extensions: YamlNode | undefined = recipe.entries.get('extensions')?.value;
    if (extensions === undefined || (isEmpty(extensions) && extensions.kind !== 'list'))
      draft.take({ rights: ALL_OF_DEVELOPER, notes: [] });
    draft.prompt = promptOf(recipe);
    readKeys(recipe, KEYS, draft);
    return draft;
  },
};
