// The names of models in files of other programs, as `provider/model` or as an alias of cadre.yaml.

import type { YamlNode } from '../../base/yaml/node.ts';
import { BUILT_IN_KINDS } from '../../kernel/provider-settings.ts';
import { CONFIG_NAME } from '../read/config/config-providers.ts';
import type { AgentDraft } from './draft.ts';
import { namesOf, scalarText } from './nodes.ts';

/** The model that imported agents and new folders begin with. */
export const CLAUDE_SONNET = 'claude-sonnet-5';

/** The models that the short names of Claude Code stand for. */
export const CLAUDE_MODELS: Readonly<Record<string, string>> = {
  sonnet: `anthropic/${CLAUDE_SONNET}`,
  opus: 'anthropic/claude-opus-5-5',
  haiku: 'anthropic/claude-haiku-4-5',
  fable: 'anthropic/claude-fable-5-1',
};

const PREFIXES: readonly (readonly [RegExp, (typeof BUILT_IN_KINDS)[number]])[] = [
  [/^claude-/, 'anthropic'],
  [/^(?:gpt-|o\d)/, 'openai'],
  [/^gemini-/, 'google'],
];

const DEFAULTS: ReadonlySet<string> = new Set(['inherit', 'default', 'auto']);

const MAX_MODEL = 100;

/** An entry of `models`. Undefined: the default of cadre.yaml. */
export function modelReference(written: string | undefined, draft: AgentDraft): string | undefined {
  if (written === undefined || DEFAULTS.has(written.toLowerCase())) return undefined;
  if (written.length > MAX_MODEL) return noModel(`${written.slice(0, 40)}…`, draft);
  if (written.includes('/')) return /\s/.test(written) ? noModel(written, draft) : ofProvider(written, draft);
  const provider = PREFIXES.find(([prefix]) => prefix.test(written))?.[1];
  if (provider !== undefined && !/\s/.test(written)) return `${provider}/${written}`;
  const short = written.replace(/\[.*\]$/, '');
  if (!CONFIG_NAME.test(short)) return noModel(written, draft);
  if (!Object.hasOwn(CLAUDE_MODELS, short))
    draft.tell('todo', `model: ${written}`, `say under models in cadre.yaml what ${short} stands for`);
  else if (short !== written) draft.lose(`model: ${written}`, `it has ${short}`);
  return draft.context.modelNamed(short);
}

function noModel(written: string, draft: AgentDraft): undefined {
  draft.lose(`model: ${written}`, 'that is no name of a model; it has the default');
}

/** A provider that needs an entry in cadre.yaml is left to a person. */
function ofProvider(model: string, draft: AgentDraft): string {
  const [provider = ''] = model.split('/');
  if (!BUILT_IN_KINDS.some((one) => one === provider) && !draft.context.declared.has(provider))
    draft.tell(
      'todo',
      `model: ${model}`,
      `declare ${provider} under providers in cadre.yaml: ${provider}: { kind: openai-compatible, baseUrl: … }`,
    );
  return model;
}

/** A name as a menu shows it: `Claude Sonnet 4.5 (copilot)`, `GPT-5 mini`. */
export function modelShown(written: string, draft: AgentDraft): string | undefined {
  const plain = written
    .replace(/\s*\(.*\)\s*$/, '')
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, '-');
  const name = plain.startsWith('claude-') ? plain.replaceAll('.', '-') : plain;
  if (name === '' || DEFAULTS.has(name)) return undefined;
  return modelReference(/^(?:claude|gpt|gemini|o\d)/.test(name) ? name : written.includes('/') ? written : name, draft);
}

/** A model, or the models of a list. */
export const asModel = (value: YamlNode, draft: AgentDraft): void =>
  putModels(draft, [modelReference(scalarText(value), draft)], 'model');

export const asModels = (value: YamlNode, draft: AgentDraft, key: string): void =>
  putModels(
    draft,
    namesOf(value).map((one) => modelReference(one, draft)),
    key,
  );

/** `provider/model`, where the file has them apart. */
export const joinedModel = (provider: string | undefined, model: string | undefined): string | undefined =>
  provider === undefined || model === undefined ? model : `${provider}/${model}`;

/** Models in order of preference, each once. */
export function putModels(draft: AgentDraft, models: readonly (string | undefined)[], from: string): void {
  const known = [...new Set(models)].flatMap((one) => one ?? []);
  if (known.length > 0) draft.put('models', known, from);
}
