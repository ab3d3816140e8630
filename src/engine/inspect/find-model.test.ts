import { expect, test } from 'vitest';
import { findModel, SCRIPTED_MODEL } from './find-model.ts';

const server = (name: string, models: readonly string[]) => ({ name, baseUrl: 'http://127.0.0.1:1234/v1', models });
const nothing = async () => [];

test('a key comes before a server on this machine, which is not even asked', async () => {
  const unasked = () => Promise.reject(new Error('asked'));
  expect(await findModel({ OPENAI_API_KEY: 'x' }, unasked)).toMatchObject({ model: 'openai/gpt-5-mini' });
});

test('Ollama needs no line in cadre.yaml, another server gets one', async () => {
  const ollama = await findModel({}, async () => [server('Ollama', ['nomic-embed-text', 'qwen3:8b'])]);
  expect(ollama).toEqual({ model: 'ollama/qwen3:8b', why: 'Ollama answers at http://127.0.0.1:1234/v1' });
  const studio = await findModel({}, async () => [server('LM Studio', ['mistral/small'])]);
  expect(studio).toMatchObject({
    model: 'local/mistral/small',
    provider: 'local: { kind: openai-compatible, baseUrl: "http://127.0.0.1:1234/v1" }',
  });
});

test('a server without a model that can chat is passed over, and so is a name that would not be one', async () => {
  const servers = [server('Ollama', ['bge-large']), server('vLLM', ['a"\nmodels: [x]']), server('llama.cpp', ['good'])];
  expect(await findModel({}, async () => servers)).toMatchObject({ model: 'local/good' });
});

test('without any of them the model is the scripted one', async () => {
  expect(await findModel({ OPENAI_API_KEY: '' }, nothing)).toEqual(SCRIPTED_MODEL);
});
