// The model that a new folder begins with: one whose key is set, else one of a model server on this machine, else the
// scripted one, which needs neither. Asks loopback only, and sends no key anywhere.

import { CLAUDE_SONNET } from '../../definition/import/model-names.ts';
import type { Environment } from '../../definition/read/variables.ts';
import { BUILT_IN_KINDS } from '../../kernel/provider-settings.ts';
import { findLocalServers, type LocalServer } from '../../models/local.ts';
import { keyVariables } from '../../models/settings.ts';

export interface StarterModel {
  /** `provider/model`. */
  readonly model: string;
  /** A line under `providers`, if the provider needs one. */
  readonly provider?: string;
  /** The reason for the choice: a sentence for the person. */
  readonly why: string;
}

/** A good model of each provider for a first run. Those that name their models by deployment or region have none. */
export const STARTER_MODELS: Readonly<Record<string, string>> = {
  anthropic: CLAUDE_SONNET,
  openai: 'gpt-5-mini',
  google: 'gemini-2.5-flash',
  openrouter: 'openai/gpt-5-mini',
  groq: 'llama-3.3-70b-versatile',
  mistral: 'mistral-large-latest',
  deepseek: 'deepseek-chat',
};

export const SCRIPTED_MODEL: StarterModel = {
  model: 'demo/any',
  why: 'no key is set and no model server answers on this machine, so it answers from demo.script.yaml',
};

export async function findModel(environment: Environment, look = findLocalServers): Promise<StarterModel> {
  return byKey(environment) ?? (await look()).flatMap(served)[0] ?? SCRIPTED_MODEL;
}

function byKey(environment: Environment): StarterModel | undefined {
  for (const [provider, model] of Object.entries(STARTER_MODELS)) {
    const kind = BUILT_IN_KINDS.find((one) => one === provider);
    const variable = kind && keyVariables(kind).find((name) => (environment[name] ?? '') !== '');
    if (variable !== undefined) return { model: `${provider}/${model}`, why: `${variable} is set` };
  }
  return undefined;
}

/** Names of other kinds of models: they cannot answer. */
const CANNOT_CHAT = /embed|rerank|whisper|tts|bge-|clip/i;
/** A server may say anything. This goes into a file, so it is a name or nothing. */
const NAME = /^[A-Za-z0-9][\w.:/@+-]{0,199}$/;

function served({ name, baseUrl, models }: LocalServer): readonly StarterModel[] {
  const model = models.find((one) => NAME.test(one) && !CANNOT_CHAT.test(one));
  if (model === undefined) return [];
  const why = `${name} answers at ${baseUrl}`;
  if (name === 'Ollama') return [{ model: `ollama/${model}`, why }];
  return [{ model: `local/${model}`, provider: `local: { kind: openai-compatible, baseUrl: "${baseUrl}" }`, why }];
}
