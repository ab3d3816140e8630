// The kinds of providers. One list for the room that reads them in cadre.yaml and the one that makes them: neither knows
// the other.

/** Well-known services and servers that need no address. `models/presets` says the rest of each. */
export const PRESET_KINDS = ['ollama', 'openrouter', 'groq', 'mistral', 'deepseek', 'azure', 'bedrock'] as const;

/** They need no entry in cadre.yaml: their keys come from the usual variables of the environment. */
export const BUILT_IN_KINDS = ['openai', 'anthropic', 'google', ...PRESET_KINDS] as const;

export const PROVIDER_KINDS = [...BUILT_IN_KINDS, 'openai-compatible', 'ai-sdk', 'scripted', 'recorded'] as const;

export type PresetKind = (typeof PRESET_KINDS)[number];
export type ProviderKind = (typeof PROVIDER_KINDS)[number];
