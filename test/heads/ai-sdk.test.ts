// The OpenAI and Anthropic heads with the providers of the AI SDK.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENTS, type Served, served } from '../support/served.ts';

let at: Served;
beforeAll(async () => {
  at = await served(AGENTS);
});
afterAll(() => at.close());

const KINDS: Readonly<Record<string, (agent: string) => LanguageModelV3>> = {
  'openai chat': (agent) => createOpenAI({ baseURL: `${at.url}/v1`, apiKey: at.token }).chat(agent),
  'openai responses': (agent) => createOpenAI({ baseURL: `${at.url}/v1`, apiKey: at.token }).responses(agent),
  anthropic: (agent) => createAnthropic({ baseURL: `${at.url}/v1`, apiKey: at.token })(agent),
};

const said = (role: 'user' | 'assistant', text: string) => ({ role, content: [{ type: 'text', text }] }) as const;
const textOf = async (model: LanguageModelV3, options: LanguageModelV3CallOptions): Promise<string> =>
  (await model.doGenerate(options)).content.map((part) => (part.type === 'text' ? part.text : '')).join('');
const asked = (...prompt: readonly unknown[]): LanguageModelV3CallOptions => ({
  prompt: prompt as LanguageModelV3Prompt,
});

test.each(Object.keys(KINDS))('%s generates, streams, and goes on in the same thread', async (kind) => {
  const model = KINDS[kind]!('echo');
  const first = [{ role: 'system', content: 'Be brief.' }, said('user', 'my name is Ada')];
  expect(await textOf(model, asked(...first))).toBe('You said: my name is Ada');
  const { stream } = await model.doStream(
    asked(...first, said('assistant', 'You said: my name is Ada'), said('user', `Who am I, ${kind}?`)),
  );
  let text = '';
  let usage: unknown;
  for await (const part of stream) {
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'finish') usage = part.usage;
    if (part.type === 'error') throw part.error;
  }
  expect(text).toBe('Your name is Ada.');
  expect(usage).toMatchObject({ outputTokens: { total: expect.any(Number) } });
  const [before, after] = (await at.runs()).slice(-2);
  expect(after).toMatchObject({ thread: before?.thread, continues: before?.run });
});

test.each(Object.keys(KINDS))('%s asks for JSON of a schema', async (kind) => {
  const schema = {
    type: 'object',
    properties: { filed: { type: 'string' } },
    required: ['filed'],
    additionalProperties: false,
  } as const;
  const options = {
    ...asked(said('user', 'File it.')),
    responseFormat: { type: 'json', schema, name: 'filed' } as const,
  };
  expect(JSON.parse(await textOf(KINDS[kind]!('clerk'), options))).toEqual({ filed: 'yes' });
});

test.each(Object.keys(KINDS))('%s reports the failure of a run', async (kind) => {
  await expect(KINDS[kind]!('broken').doGenerate(asked(said('user', 'x')))).rejects.toMatchObject({ statusCode: 502 });
});
