// Loads the AI SDK's package for a kind of provider on first use, and hands out its models. The one place that
// names those packages.

import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { Access } from './access.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { Send } from './sent-request.ts';

/** The key under which a kind's own options and metadata travel. */
export const OPTIONS_KEY = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  'openai-compatible': 'compatible',
} as const;

export type ModelLoader = (model: string) => Promise<LanguageModelV3>;

/** More models than these are not kept: a caller may name any. */
const MOST_KEPT = 200;

/**
 * The package is imported by the first call, not before. A model is made once and kept: the packages build the schemas of
 * their answers with it, which takes longer than the rest of a call.
 */
export function modelLoader(id: string, access: Access, send: Send): ModelLoader {
  let opening: Promise<(model: string) => LanguageModelV3> | undefined;
  const kept = new Map<string, LanguageModelV3>();
  return async (model) => {
    const known = kept.get(model);
    if (known !== undefined) return known;
    opening ??= open(id, access, send);
    const made = (await opening)(model);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(model, made);
    return made;
  };
}

async function open(id: string, access: Access, send: Send): Promise<(model: string) => LanguageModelV3> {
  const { apiKey = '', baseUrl, headers } = access;
  const fetch = guardedFetch(id, access.kind, send);
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
