// Loads the AI SDK's package for a kind of provider on first use, and hands out its models. The one place that
// names those packages.

import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { Access } from './access.ts';
import { guardedFetch } from './guarded-fetch.ts';

/** The key under which a kind's own options and metadata travel. */
export const OPTIONS_KEY = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  'openai-compatible': 'compatible',
} as const;

export type ModelLoader = (model: string) => Promise<LanguageModelV3>;

/** The package is imported by the first call, not before. A model is made once: some build a schema of all replies. */
export function modelLoader(id: string, access: Access): ModelLoader {
  const models = new Map<string, LanguageModelV3>();
  let opening: Promise<(model: string) => LanguageModelV3> | undefined;
  return async (model) => {
    opening ??= open(id, access);
    const make = await opening;
    const made = models.get(model) ?? make(model);
    models.set(model, made);
    return made;
  };
}

async function open(id: string, access: Access): Promise<(model: string) => LanguageModelV3> {
  const { apiKey = '', baseUrl, headers } = access;
  const fetch = guardedFetch(id, access.kind);
  const settings = { apiKey, headers: { ...headers }, fetch, ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) };
  switch (access.kind) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const provider = createOpenAI(settings);
      return (model) => provider.responses(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const provider = createAnthropic(settings);
      return (model) => provider.languageModel(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      const provider = createGoogleGenerativeAI(settings);
      return (model) => provider.languageModel(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const { apiKey: _, ...keyless } = settings;
      const name = OPTIONS_KEY['openai-compatible'];
      const key = access.apiKey === undefined ? keyless : settings;
      const provider = createOpenAICompatible({ ...key, name, baseURL: baseUrl ?? '', includeUsage: true });
      return (model) => provider.languageModel(model);
    }
  }
}
