// OpenAI's responses with OpenAI's own client.

import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENTS, type Served, served } from '../support/served.ts';

let at: Served;
let client: OpenAI;
beforeAll(async () => {
  at = await served(AGENTS);
  client = new OpenAI({ baseURL: `${at.url}/v1`, apiKey: at.token, maxRetries: 0 });
});
afterAll(() => at.close());

const lastRuns = async (count: number) => (await at.runs()).slice(-count);

test('a response is the answer of a run', async () => {
  const made = await client.responses.create({ model: 'boss', input: 'Ask.' });
  expect(made).toMatchObject({ status: 'completed', output_text: 'They said it.', model: 'boss' });
  expect(made.usage).toMatchObject({ input_tokens: 310, output_tokens: 35, total_tokens: 345 });
});

test('the events of a stream add up to the response', async () => {
  const stream = client.responses.stream({ model: 'echo', input: 'Hello to all of you.' });
  const types: string[] = [];
  let text = '';
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === 'response.output_text.delta') text += event.delta;
  }
  const final = await stream.finalResponse();
  expect(final.output_text).toBe('You said: Hello to all of you.');
  expect(text).toBe(final.output_text);
  expect(types.filter((type) => type !== 'response.output_text.delta')).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
});

test('a response follows the one that it names, in the same thread', async () => {
  const first = await client.responses.create({ model: 'echo', input: 'my name is Ada' });
  const second = await client.responses.create({ model: 'echo', input: 'Who am I?', previous_response_id: first.id });
  expect(second.output_text).toBe('Your name is Ada.');
  const third = await client.responses.create({ model: 'echo', input: 'And?', conversation: second.conversation!.id });
  expect(third.output_text).toBe('Your name is Ada.');
  const runs = await lastRuns(3);
  expect(new Set(runs.map(({ thread }) => thread)).size).toBe(1);
  expect(runs.map(({ continues }) => continues)).toEqual([undefined, runs[0]?.run, runs[1]?.run]);
  const lost = client.responses.create({
    model: 'echo',
    input: 'x',
    previous_response_id: 'resp_20200101-000000-000aaaa',
  });
  await expect(lost).rejects.toMatchObject({ status: 404, code: 'run/unknown' });
});

test('a client that sends the whole conversation reaches the same thread', async () => {
  await client.responses.create({ model: 'echo', input: [{ role: 'user', content: 'my name is Ada' }] });
  const made = await client.responses.create({
    model: 'echo',
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: 'my name is Ada' },
      { role: 'assistant', content: 'You said: my name is Ada' },
      { role: 'user', content: [{ type: 'input_text', text: 'Who am I?' }] },
    ],
  });
  expect(made.output_text).toBe('Your name is Ada.');
  const [before, after] = await lastRuns(2);
  expect(after).toMatchObject({ thread: before?.thread, continues: before?.run });
});

test('text.format is the contract that the answer must satisfy', async () => {
  const schema = {
    type: 'object',
    properties: { filed: { type: 'string' } },
    required: ['filed'],
    additionalProperties: false,
  };
  const format = { type: 'json_schema', name: 'filed', strict: true, schema } as const;
  const made = await client.responses.parse({ model: 'clerk', input: 'File it.', text: { format } });
  expect(made.output_parsed).toEqual({ filed: 'yes' });
});

test.each([
  ['tools', { tools: [{ type: 'web_search' }] }],
  ['background', { background: true }],
  ['store', { store: false }],
  ['include', { include: ['reasoning.encrypted_content'] }],
  ['input[0]', { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] }],
  ['input[0].content[0].image_url', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] }],
  ['previous_response_id', { previous_response_id: 'nonsense' }],
])('%s is refused by its name', async (param, fields) => {
  const body = { model: 'echo', input: 'x', ...fields } as OpenAI.Responses.ResponseCreateParamsNonStreaming;
  await expect(client.responses.create(body)).rejects.toMatchObject({ status: 400, param });
});

test('a run that fails after it has begun to write fails its response', async () => {
  const stream = await client.responses.create({ model: 'tired', input: 'x', stream: true });
  const events = [];
  for await (const event of stream) events.push(event);
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'turns/exhausted', outcome: 'exhausted' } },
  });
});
