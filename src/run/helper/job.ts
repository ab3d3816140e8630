// The job of a helper's process: enough to call its own models, and nothing else. Keys travel in its environment, and
// only those that its own models name. Files, people and all other secrets stay with its parent.

import type { AgentDefinition, CadreConfig, TemplatedText } from '../../definition/definition.ts';
import { type Environment, templatesIn, variablesIn } from '../../definition/read/variables.ts';
import { BUILT_IN_KINDS, type ProviderSettings } from '../../kernel/provider-settings.ts';
import { presetOf } from '../../models/presets.ts';
import { isRemote, keyVariables, type ModelSources } from '../../models/settings.ts';
import { environmentFor } from '../../tools/environment.ts';

/** The providers of an agent's models, and the aliases by which they are named or priced. */
export function sourcesFor(agent: AgentDefinition, config: CadreConfig): ModelSources<TemplatedText> {
  const used = agent.models.map((name) => config.models[name]?.use ?? name);
  const providers: Record<string, ProviderSettings<TemplatedText>> = {};
  const take = (id: string): void => {
    const settings = Object.hasOwn(config.providers, id) ? config.providers[id] : undefined;
    if (settings === undefined || Object.hasOwn(providers, id)) return;
    providers[id] = settings;
    if (settings.wraps !== undefined) take(settings.wraps);
  };
  for (const name of used) take(providerOf(name));
  const aliases = Object.entries(config.models).filter(
    ([name, { use }]) => agent.models.includes(name) || used.includes(use),
  );
  return { providers, models: Object.fromEntries(aliases) };
}

const providerOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf('/')));

/** Variables that a client may need to reach a model on the network. */
const NETWORK = [
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'https_proxy',
  'http_proxy',
  'no_proxy',
  'NODE_USE_ENV_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/** Variables in which the packages of these providers look for an address by themselves. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  openai: ['OPENAI_BASE_URL'],
  anthropic: ['ANTHROPIC_BASE_URL'],
};

export function environmentOf(
  { models }: AgentDefinition,
  sources: ModelSources<TemplatedText>,
  environment: Environment,
): Record<string, string> {
  const names = new Set<string>();
  const used = models.map((name) => providerOf(sources.models[name]?.use ?? name));
  const builtIn = BUILT_IN_KINDS.filter((kind) => used.includes(kind) && !Object.hasOwn(sources.providers, kind));
  const settings = [...Object.values(sources.providers), ...builtIn.map((kind) => ({ kind, headers: {} }))];
  for (const { kind, ...given } of settings as readonly ProviderSettings<TemplatedText>[]) {
    if (!isRemote(kind)) continue;
    for (const one of templatesIn([given.baseUrl, given.apiKey, given.headers, given.region, given.options]))
      for (const name of variablesIn(one)) names.add(name);
    if (given.apiKey === undefined) for (const name of keyVariables(kind)) names.add(name);
    const places = ADDRESSES[kind] ?? presetOf(kind)?.places ?? [];
    if (given.baseUrl === undefined || kind === 'bedrock') for (const name of places) names.add(name);
    for (const name of NETWORK) names.add(name);
  }
  const needed: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined) needed[name] = value;
  }
  return environmentFor(needed);
}
