import { expect, test } from 'vitest';
import { PRESETS } from './presets.ts';

const variables = (given: Readonly<Record<string, string>>) => (name: string) => given[name];

test.each([
  ['', 'http://127.0.0.1:11434/v1'],
  ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
  ['0.0.0.0:8000', 'http://127.0.0.1:8000/v1'],
  [':9000', 'http://127.0.0.1:9000/v1'],
  ['gpu.lan', 'http://gpu.lan:11434/v1'],
  ['gpu.lan:11435', 'http://gpu.lan:11435/v1'],
  ['http://gpu.lan:11435/', 'http://gpu.lan:11435/v1'],
  ['https://ollama.example.org', 'https://ollama.example.org/v1'],
])('OLLAMA_HOST %j leads to %s', (host, url) => {
  expect(PRESETS.ollama.address(variables({ OLLAMA_HOST: host }))).toBe(url);
});

test.each([
  [{ AZURE_OPENAI_ENDPOINT: 'https://team.openai.azure.com/' }, 'https://team.openai.azure.com/openai/v1'],
  [{ AZURE_OPENAI_ENDPOINT: 'https://team.example.org/openai/v1/' }, 'https://team.example.org/openai/v1'],
  [{ AZURE_RESOURCE_NAME: 'team' }, 'https://team.openai.azure.com/openai/v1'],
  [{}, undefined],
])('Azure with %j is at %s', (given, url) => {
  expect(PRESETS.azure.address(variables(given as Readonly<Record<string, string>>))).toBe(url);
});

test.each(['openrouter', 'groq', 'mistral', 'deepseek'] as const)('%s has one address and one key', (kind) => {
  const { address, keys } = PRESETS[kind];
  expect(address(variables({}))).toMatch(/^https:\/\/[a-z.]+\/.*v1$/);
  expect(keys).toEqual([`${kind.toUpperCase()}_API_KEY`]);
});
