// The bodies that a server receives over the wire.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { type AssistantMessage, okResult, user } from '../../kernel/message.ts';
import { collectEvents, sampleRequest } from '../provider.conformance.ts';
import type { ProviderRequest } from '../provider.ts';
import type { Access } from './access.ts';
import { aiSdk } from './ai-sdk.ts';

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // The shape is the provider's; the tests only look into it.
  readonly body: Readonly<Record<string, unknown>>;
}

async function received(kind: Access['kind'], over: Partial<ProviderRequest>): Promise<Received> {
  let got: Received | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got = { headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) as Received['body'] };
      response.writeHead(500).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const access = { kind, apiKey: 'secret', baseUrl: `http://127.0.0.1:${port}/v1`, headers: { 'x-team': 'blue' } };
  await collectEvents(aiSdk('far', access), sampleRequest(over));
  await new Promise((resolve) => server.close(resolve));
  if (got === undefined) throw new Error('nothing was received');
  return got;
}

const thoughtful = (from: Access['kind'], meta: Readonly<Record<string, unknown>>): AssistantMessage => ({
  role: 'assistant',
  text: '',
  reasoning: 'Hm.',
  calls: [{ id: 'c1', name: 'list_files', arguments: { path: '.' } }],
  echo: {
    from,
    parts: [
      { kind: 'reasoning', chars: 3, meta: { [from]: meta } },
      { kind: 'call', id: 'c1' },
    ],
  },
});
const result = { role: 'tool', call: 'c1', name: 'list_files', result: okResult('a.txt') } as const;

test('Anthropic gets its thinking back signed, and marks for its cache', async () => {
  const messages = [user('Go.'), thoughtful('anthropic', { signature: 'sealed' }), result];
  const settings = { reasoning: 'low' } as const;
  const { body, headers } = await received('anthropic', { model: 'claude-sonnet-4-5', messages, settings });
  const cached = { cache_control: { type: 'ephemeral' } };
  expect(body).toMatchObject({
    stream: true,
    thinking: { type: 'enabled', budget_tokens: 2048 },
    system: [{ type: 'text', text: 'You are a librarian.', ...cached }],
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sealed' },
          { type: 'tool_use', id: 'c1', name: 'list_files', input: { path: '.' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', ...cached }] },
    ],
  });
  expect(headers).toMatchObject({ 'x-api-key': 'secret', 'x-team': 'blue' });
});

test('OpenAI keeps nothing, and gets its sealed reasoning back', async () => {
  const sealed = { itemId: 'rs_1', reasoningEncryptedContent: 'sealed' };
  const messages = [user('Go.'), thoughtful('openai', sealed), result];
  const { body } = await received('openai', { model: 'gpt-5', messages });
  expect(body).toMatchObject({ store: false, stream: true, include: ['reasoning.encrypted_content'] });
  expect(body['input']).toMatchObject([
    { content: 'You are a librarian.' },
    { role: 'user' },
    { type: 'reasoning', encrypted_content: 'sealed' },
    { type: 'function_call', call_id: 'c1', name: 'list_files' },
    { type: 'function_call_output', call_id: 'c1', output: 'a.txt' },
  ]);
});

test('Google gets the signature of a call back', async () => {
  const message: AssistantMessage = {
    role: 'assistant',
    text: '',
    calls: [{ id: 'c1', name: 'list_files', arguments: { path: '.' } }],
    echo: { from: 'google', parts: [{ kind: 'call', id: 'c1', meta: { google: { thoughtSignature: 'sealed' } } }] },
  };
  const { body } = await received('google', { model: 'gemini-2.5-flash', messages: [user('Go.'), message, result] });
  expect(body['contents']).toMatchObject([
    { role: 'user' },
    { role: 'model', parts: [{ functionCall: { name: 'list_files' }, thoughtSignature: 'sealed' }] },
    { role: 'user', parts: [{ functionResponse: { name: 'list_files' } }] },
  ]);
});

test('a compatible server is asked for its usage, and sees its own reasoning while tools are called', async () => {
  const { echo: _, ...plain } = thoughtful('openai-compatible', {});
  const { body } = await received('openai-compatible', { model: 'local', messages: [user('Go.'), plain, result] });
  expect(body).toMatchObject({ model: 'local', stream: true, stream_options: { include_usage: true } });
  expect(body['messages']).toMatchObject([
    { role: 'system' },
    { role: 'user' },
    { role: 'assistant', reasoning_content: 'Hm.', tool_calls: [{ id: 'c1' }] },
    { role: 'tool', tool_call_id: 'c1', content: 'a.txt' },
  ]);
});

test('the same conversation gives the same bytes', async () => {
  const over = { model: 'claude-sonnet-4-5', messages: [user('Go.')] };
  const [one, two] = [await received('anthropic', over), await received('anthropic', over)];
  expect(JSON.stringify(one.body)).toBe(JSON.stringify(two.body));
});

test.each([
  [
    'openai',
    (body: Received['body']) => body['tool_choice'],
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'list_files' }] },
  ],
  ['anthropic', (body: Received['body']) => body['tool_choice'], { type: 'tool', name: 'list_files' }],
  [
    'google',
    (body: Received['body']) => body['toolConfig'],
    { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['list_files'] } },
  ],
] as const)(
  '%s is kept to the tools that may be called, and gets the same list of tools',
  async (kind, choiceIn, choice) => {
    const whole = await received(kind, {});
    const last = await received(kind, { callable: ['list_files'] });
    expect(last.body['tools']).toEqual(whole.body['tools']);
    expect(choiceIn(last.body)).toEqual(choice);
  },
);
