// The settings of providers and models, as this layer gets them, and those that hold without cadre.yaml.

import type { ModelAlias, PresetKind, ProviderKind, ProviderSettings } from '../kernel/provider-settings.ts';
import { presetOf } from './presets.ts';
import type { GivenProviders } from './provider-instance.ts';

/** Kinds that are reached over the network, through the AI SDK's packages. `ai-sdk` is any provider of the AI SDK. */
export type RemoteKind = Exclude<ProviderKind, PresetKind | 'scripted' | 'recorded'>;

export interface ModelSources<Value> {
  readonly providers: Readonly<Record<string, ProviderSettings<Value>>>;
  readonly models: Readonly<Record<string, ModelAlias>>;
}

/** Everything that this layer needs from outside, so that it touches neither environment nor disk itself. */
export interface ModelEnvironment<Value> {
  env(name: string): string | undefined;
  /** Fills in the variables. Throws a FaultError where one is not set. */
  fill(value: Value): string;
  /** Fills in the options of a package. If absent, they are used as they are. Throws as `fill` does. */
  fillOptions?(options: object): object;
  read(file: string): Promise<string>;
  /** Providers that the program hands in. They take precedence over those of cadre.yaml. */
  readonly given?: GivenProviders;
}

const OWN_KEY_VARIABLES: Readonly<Partial<Record<RemoteKind, readonly string[]>>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
};

/** The usual variables for the key of a kind. None: it needs no key, or its entry says where that is. */
export const keyVariables = (kind: RemoteKind | PresetKind): readonly string[] =>
  presetOf(kind)?.keys ?? OWN_KEY_VARIABLES[kind as RemoteKind] ?? [];

/** True if it is reached over the network. */
export const isRemote = (kind: ProviderKind): kind is RemoteKind | PresetKind =>
  kind !== 'scripted' && kind !== 'recorded';

/** The protocol of a provider. */
export function protocolOf(kind: RemoteKind | PresetKind): RemoteKind {
  if (kind === 'bedrock') return 'ai-sdk';
  return presetOf(kind) === undefined ? (kind as RemoteKind) : 'openai-compatible';
}
