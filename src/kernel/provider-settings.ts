// The settings of providers and models. They are declared once for the room that reads them in cadre.yaml and for the one
// that makes providers of them: neither knows the other.

import type { FileKind } from './file-ref.ts';

/** Well-known services and servers that need no address. `models/presets` says the rest of each. */
export const PRESET_KINDS = ['ollama', 'openrouter', 'groq', 'mistral', 'deepseek', 'azure', 'bedrock'] as const;

/** They need no entry in cadre.yaml: their keys come from the usual variables of the environment. */
export const BUILT_IN_KINDS = ['openai', 'anthropic', 'google', ...PRESET_KINDS] as const;

export const PROVIDER_KINDS = [...BUILT_IN_KINDS, 'openai-compatible', 'ai-sdk', 'scripted', 'recorded'] as const;

export type PresetKind = (typeof PRESET_KINDS)[number];
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** `Value` is a text that may hold `${VAR}`, in the form in which the reader keeps it. */
export interface ProviderSettings<Value> {
  readonly kind: ProviderKind;
  readonly baseUrl?: Value;
  readonly apiKey?: Value;
  readonly headers: Readonly<Record<string, Value>>;
  /** bedrock: the region of AWS. */
  readonly region?: Value;
  /** scripted: absolute path of the script. recorded: absolute path of the recording. */
  readonly script?: string;
  readonly recording?: string;
  /** recorded: the provider whose answers are recorded. */
  readonly wraps?: string;
  /** recorded: `place` takes the answer to the same turn of the same session, whatever was asked there. */
  readonly match?: 'exact' | 'place';
  /** recorded: a request that the recording lacks is asked of that provider, and added. */
  readonly add?: boolean;
  /** scripted, in tests: the script's own pace is left out. */
  readonly unpaced?: boolean;
  /** ai-sdk: the package and the absolute folder that it is looked up from. Absent where a program hands it in. */
  readonly package?: string;
  readonly packageFrom?: string;
  /** ai-sdk: JSON for the factory of the package. */
  readonly options?: object;
  /** Calls at the same time. */
  readonly concurrency?: number;
  /** True if a budget counts the provider's report, however little that is. */
  readonly trustUsage?: boolean;
}

/** USD per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** If absent, cached tokens cost what others cost. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface ModelAlias {
  /** `provider/model`. */
  readonly use: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly price?: Price;
  /** The kinds of files that it sees, where the table does not know or is wrong. */
  readonly sees?: readonly FileKind[];
}
