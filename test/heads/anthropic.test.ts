// The Anthropic head with Anthropic's own client.

import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENTS, type Served, served } from '../support/served.ts';

let at: Served;
let client: Anthropic;
beforeAll(async () => {
  at = await served(AGENTS);
  client = clientWith(at.token);
});
afterAll(() => at.close());

const clientWith = (apiKey: string): Anthropic => new Anthropic({ baseURL: at.url, apiKey, maxRetries: 0 });
const user = (content: string) => ({ role: 'user', content }) as const;
const ask = (model: string, ...messages: Anthropic.MessageParam[]) => ({ model, max_tokens: 1000, messages });
const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

test('the agents are its models', async () => {
  const names = [];
  for await (const { id } of client.models.list()) names.push(id);
  expect(names).toContain('echo');
});

test('a message is the answer of a run, with the usage of its whole tree', async () => {
  const made = await client.messages.create(ask('boss', user('Ask.')));
  expect(textOf(made)).toBe('They said it.');
  expect(made).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 310, output_tokens: 35 } });
});

test('the events of a stream come in the order of the protocol and add up to the message', async () => {
  const stream = client.messages.stream(ask('echo', user('Hello to all of you.')));
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  expect([...new Set(types)]).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  const final = await stream.finalMessage();
  expect(textOf(final)).toBe('You said: Hello to all of you.');
  expect(final.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
});

test('several turns reach the same thread, and a system prompt goes to the agent', async () => {
  const first = await client.messages.create(ask('echo', user('my name is Ada')));
  const messages = [user('my name is Ada'), { role: 'assistant', content: first.content } as const, user('Who am I?')];
  const second = await client.messages.create({
    ...ask('echo', ...messages),
    system: [{ type: 'text', text: 'Be brief.' }],
  });
  expect(textOf(second)).toBe('Your name is Ada.');
  const [before, after] = (await at.runs()).slice(-2);
  expect(after).toMatchObject({ thread: before?.thread, continues: before?.run });
});

test('output_config.format is the contract that the answer must satisfy', async () => {
  const schema = {
    type: 'object',
    properties: { filed: { type: 'string' } },
    required: ['filed'],
    additionalProperties: false,
  };
  const format = { type: 'json_schema', schema } as const;
  const made = await client.messages.create({ ...ask('clerk', user('File it.')), output_config: { format } });
  expect(JSON.parse(textOf(made))).toEqual({ filed: 'yes' });
});

test('a tool that must be used is the form of the answer', async () => {
  const input_schema = { type: 'object', properties: { filed: { type: 'string' } }, required: ['filed'] } as const;
  const tools = [{ name: 'file', input_schema: { ...input_schema, required: ['filed'] } }];
  const body = { ...ask('clerk', user('File it.')), tools, tool_choice: { type: 'tool', name: 'file' } as const };
  const used = { type: 'tool_use', name: 'file', input: { filed: 'yes' } };
  expect(await client.messages.create(body)).toMatchObject({ stop_reason: 'tool_use', content: [used] });
  expect(await client.messages.stream(body).finalMessage()).toMatchObject({ stop_reason: 'tool_use', content: [used] });
});

test.each([
  ['nobody', 404, 'not_found_error'],
  ['broken', 502, 'api_error'],
  ['poor', 402, 'billing_error'],
])('%s is answered with status %i, in a stream too', async (model, status, type) => {
  await expect(client.messages.create(ask(model, user('x')))).rejects.toMatchObject({ status, type });
  await expect(client.messages.stream(ask(model, user('x'))).finalMessage()).rejects.toMatchObject({ status, type });
});

test('a run that fails after it has begun to write ends its stream with an error', async () => {
  const failed = client.messages.stream(ask('tired', user('x'))).finalMessage();
  await expect(failed).rejects.toMatchObject({ error: { error: { code: 'turns/exhausted', outcome: 'exhausted' } } });
});

test.each([
  ['tools', { tools: [{ name: 'now', input_schema: { type: 'object' } }] }],
  ['thinking', { thinking: { type: 'enabled', budget_tokens: 2000 } }],
  ['stop_sequences', { stop_sequences: ['END'] }],
  ['source.url', { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'x' } }] }] }],
  ['last message', { messages: [user('x'), { role: 'assistant', content: 'The answer is' }] }],
  ['message is empty', { messages: [user(' ')] }],
])('%s is refused by its name', async (name, fields) => {
  const body = { ...ask('echo', user('x')), ...fields } as Anthropic.MessageCreateParamsNonStreaming;
  const refused = client.messages.create(body);
  await expect(refused).rejects.toMatchObject({
    type: 'invalid_request_error',
    message: expect.stringContaining(name),
  });
});

test('a token is needed', async () => {
  const refused = clientWith('nonsense').messages.create(ask('echo', user('x')));
  await expect(refused).rejects.toMatchObject({ status: 401, type: 'authentication_error' });
});

test('a connection that closes in mid-stream cancels its run', async () => {
  const stream = client.messages.stream(ask('slow', user('Go.')));
  for await (const { type } of stream) if (type === 'content_block_delta') break;
  stream.abort();
  const { run } = (await at.runs()).at(-1)!;
  expect(await at.server.context.engine.outcome(run)).toMatchObject({ kind: 'cancelled' });
});
