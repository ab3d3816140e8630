// Well-known providers through the built command line, over the wire: with their usual variables, with and without
// a line in cadre.yaml, and without their key.

import { LLMock } from '@copilotkit/aimock';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Folder, folderWith } from './support/cli.ts';

const mock = new LLMock({ port: 0 });
let folder: Folder | undefined;

beforeAll(async () => {
  mock.addFixture({ match: { userMessage: 'Hello' }, response: { content: 'Hello to you.' } });
  await mock.start();
});
afterEach(() => {
  folder?.remove();
  mock.clearRequests();
});
afterAll(() => mock.stop());

/** Runs an agent with this model, perhaps with a cadre.yaml. */
async function ask(model: string, env: NodeJS.ProcessEnv, config?: string) {
  folder = folderWith({ 'host.md': `---\ndescription: Answers.\nmodels: [${model}]\nmaxRetries: 1\n---\nAnswer.\n` });
  if (config !== undefined) folder.write('cadre.yaml', config);
  return folder.cadre(['run', 'host', 'Hello'], { env });
}

const answered = { exit: 0, stdout: 'Hello to you.\n' };
const hostOf = (url: string): string => new URL(url).host;

test('ollama/<model> needs no key and no cadre.yaml, and goes where OLLAMA_HOST says', async () => {
  expect(await ask('ollama/qwen3', { OLLAMA_HOST: hostOf(mock.url) })).toMatchObject(answered);
  expect(mock.getRequests().at(-1)).toMatchObject({ path: '/v1/chat/completions', body: { model: 'qwen3' } });
});

test('azure/<deployment> goes to the endpoint of the variable, with the key in api-key', async () => {
  const env = { AZURE_OPENAI_ENDPOINT: mock.url, AZURE_OPENAI_API_KEY: 'azure-key-0001' };
  expect(await ask('azure/our-deployment', env)).toMatchObject(answered);
  const asked = mock.getRequests().at(-1);
  expect(asked?.body).toMatchObject({ model: 'our-deployment' });
  expect(asked?.headers).toHaveProperty('api-key');
  expect(asked?.headers).not.toHaveProperty('authorization');
});

test.each(['openrouter', 'groq', 'mistral', 'deepseek'])(
  '%s takes its usual key, and another address',
  async (kind) => {
    const env = { [`${kind.toUpperCase()}_API_KEY`]: `${kind}-key-0001` };
    const config = `providers: { mine: { kind: ${kind}, baseUrl: "${mock.url}/v1" } }\n`;
    expect(await ask('mine/some-model', env, config)).toMatchObject(answered);
    const { body, headers } = mock.getRequests().at(-1) ?? {};
    expect(body).toMatchObject({ model: 'some-model' });
    expect(headers).toHaveProperty('authorization');
  },
);

test.each([
  ['openrouter', 'OPENROUTER_API_KEY'],
  ['groq', 'GROQ_API_KEY'],
  ['mistral', 'MISTRAL_API_KEY'],
  ['deepseek', 'DEEPSEEK_API_KEY'],
  ['azure', 'AZURE_OPENAI_API_KEY or AZURE_API_KEY'],
  ['bedrock', 'AWS_BEARER_TOKEN_BEDROCK'],
])('%s without its key is refused before anything is sent, and %s is named', async (kind, variables) => {
  const refused = await ask(`${kind}/some-model`, { AWS_REGION: 'eu-central-1' });
  expect(refused).toMatchObject({ exit: 1, stdout: '', stderr: expect.stringContaining(`set ${variables}`) });
});

test('azure without an endpoint says which variables name it', async () => {
  const refused = await ask('azure/x', { AZURE_API_KEY: 'azure-key-0001' });
  expect(refused.stderr).toContain('Set AZURE_OPENAI_ENDPOINT or AZURE_RESOURCE_NAME, or baseUrl in cadre.yaml.');
});

test.each([
  ['a Bedrock key', { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-0001' }],
  ['signed requests', { AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'secret-0001', AWS_SESSION_TOKEN: 't' }],
])('bedrock/<model> answers through Converse, with %s', async (_, credentials) => {
  const config = `providers: { aws: { kind: bedrock, baseUrl: "${mock.url}", region: eu-central-1 } }\n`;
  expect(await ask('aws/anthropic.claude-sonnet-4-5-20250929-v1:0', credentials, config)).toMatchObject(answered);
  expect(mock.getRequests().at(-1)?.path).toMatch(/^\/model\/[^/]+\/converse-stream$/);
});

test('bedrock without a region says how to name one', async () => {
  const refused = await ask('bedrock/some-model', { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-0001' });
  expect(refused.stderr).toContain('has no region: set AWS_REGION, or region in cadre.yaml.');
});
