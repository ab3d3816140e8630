// The settings of providers and models in cadre.yaml, as this layer needs them, and those that hold without it.

import type { FileKind } from '../kernel/file-ref.ts';
import type { PresetKind, ProviderKind } from '../kernel/provider-kinds.ts';
import { presetOf } from './presets.ts';
import type { Price } from './pricing.ts';
import type { GivenProviders } from './provider-instance.ts';

/** Kinds that are reached over the network, through the AI SDK's packages. `ai-sdk` is any provider of the AI SDK. */
export type RemoteKind = Exclude<ProviderKind, PresetKind | 'scripted' | 'recorded'>;

/** `Value` is a text that may hold `${VAR}`, in the form in which the caller keeps it. */
export interface ProviderSettings<Value> {
  readonly kind: ProviderKind;
  readonly baseUrl?: Value;
  readonly apiKey?: Value;
  readonly headers: Readonly<Record<string, Value>>;
  /** bedrock: the region of AWS. */
  readonly region?: Value;
  /** scripted: absolute path of the script. */
  readonly script?: string;
  /** recorded: absolute path of the recording, and the provider that is recorded. */
  readonly recording?: string;
  readonly wraps?: string;
  /** recorded: `place` takes the answer to the same turn of the same session, whatever was asked. */
  readonly match?: 'exact' | 'place';
  /** recorded: answers that the recording lacks are asked for and added. */
  readonly add?: boolean;
  /** scripted: the pace of the script is left out. */
  readonly unpaced?: boolean;
  /** ai-sdk: the package, the absolute folder that it is looked up from, and what its factory is given. */
  readonly package?: string;
  readonly packageFrom?: string;
  readonly options?: object;
  /** Calls at the same time. */
  readonly concurrency?: number;
  /** True if a budget counts the provider's report, however little that is. */
  readonly trustUsage?: boolean;
}

export interface AliasSettings {
  /** `provider/model`. */
  readonly use: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly price?: Price;
  /** The kinds of files that it sees, where the table does not know or is wrong. */
  readonly sees?: readonly FileKind[];
}

export interface ModelSources<Value> {
  readonly providers: Readonly<Record<string, ProviderSettings<Value>>>;
  readonly models: Readonly<Record<string, AliasSettings>>;
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
