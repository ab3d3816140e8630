// The words in which the heads refuse a request: where the mistake is, and what is wrong. A request with one mistake is
// answered by that mistake alone.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENTS, type Served, served } from '../support/served.ts';

let at: Served;
beforeAll(async () => {
  at = await served(AGENTS);
});
afterAll(() => at.close());

/** Sends a request in which `fields` differ from a good one. An undefined field is left out. */
async function refusal(path: string, fields: object): Promise<string> {
  const usual =
    path === '/v1/responses'
      ? { input: 'Hello.' }
      : { max_tokens: 10, messages: [{ role: 'user', content: 'Hello.' }] };
  const response = await fetch(`${at.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'echo', ...usual, ...fields }),
  });
  const { error } = (await response.json()) as { error?: { message: string } };
  return `${response.status} ${error?.message ?? 'answered'}`;
}

const message = (fields: object) => ({ messages: [{ role: 'user', content: 'Hello.', ...fields }] });
const item = (fields: object) => ({ input: [{ role: 'user', content: 'Hello.', ...fields }] });
const tool = { type: 'function', function: { name: 'file', parameters: { type: 'object' } } };
const used = { name: 'file', input_schema: { type: 'object' } };

const CHAT: readonly object[] = [
  { model: undefined },
  { model: 7 },
  { stream: 'yes' },
  { stream: null },
  { metadata: 'x' },
  { metadata: { thread: 7 } },
  { n: 2 },
  { n: 1, seed: null, stop: [] },
  { temprature: 1 },
  { ['x'.repeat(100)]: 1 },
  { messages: 'x' },
  { messages: [] },
  { messages: ['x'] },
  message({ role: 'tool' }),
  message({ role: 'function' }),
  message({ role: 'assistant', tool_calls: [{}] }),
  message({ role: 'critic' }),
  message({ role: undefined }),
  message({ content: 7 }),
  message({ content: ['x'] }),
  message({ content: [{ type: 'image_url' }] }),
  message({ content: [{ type: 'text' }] }),
  message({
    content: [
      { type: 'text', text: 'Hello.' },
      { type: 'refusal', refusal: 7 },
    ],
  }),
  { response_format: 'json' },
  { response_format: { type: 'xml' } },
  { response_format: { type: 'text' } },
  { response_format: { type: 'json_schema' } },
  { response_format: { type: 'json_schema', json_schema: { schema: { type: 'nonsense' } } } },
  { stream_options: true },
  { stream_options: { include_usage: 'yes' } },
  { tools: 'x' },
  { tools: ['x'] },
  { tools: [tool] },
  { tools: [tool, tool], tool_choice: 'required' },
  { tools: [{ type: 'custom' }], tool_choice: 'required' },
  { tools: [tool], tool_choice: 'sometimes' },
  { tool_choice: 'required' },
  { tools: [tool], tool_choice: 'required', response_format: { type: 'json_object' } },
];

const RESPONSES: readonly object[] = [
  { input: undefined },
  { input: [] },
  { input: 7 },
  { input: ['x'] },
  { instructions: 7 },
  item({ type: 'function_call_output' }),
  item({ content: [{ type: 'input_image' }] }),
  item({ role: 'tool' }),
  { text: 'x' },
  { text: { verbosity: 'high' } },
  { text: { format: 'x' } },
  { text: { format: { type: 'xml' } } },
  { text: { format: { type: 'json_schema' } } },
  { previous_response_id: 7 },
  { previous_response_id: 'nonsense' },
  { conversation: 7 },
  { conversation: { id: 7 } },
  { store: false },
  { background: true },
];

const MESSAGES: readonly object[] = [
  { messages: [] },
  { messages: ['x'] },
  message({ role: 'tool' }),
  message({ content: 7 }),
  message({ content: [{ type: 'image' }] }),
  message({ content: [{ type: 'text' }] }),
  message({ content: ['x'] }),
  { system: 7 },
  { system: [{ type: 'image' }] },
  { output_config: 'x' },
  { output_config: { effort: 'high' } },
  { output_config: { format: { type: 'xml' } } },
  { output_config: { format: { type: 'json_schema' } } },
  { output_format: { type: 'json_schema', schema: { type: 'nonsense' } } },
  { thinking: { type: 'enabled' } },
  { tools: [used] },
  { tools: [used], tool_choice: { type: 'sometimes' } },
  { tools: [used], tool_choice: 'x' },
  { tool_choice: { type: 'any' } },
];

test.each([
  ['/v1/chat/completions', CHAT],
  ['/v1/responses', RESPONSES],
  ['/v1/messages', MESSAGES],
])('%s names the place of a mistake', async (path, bodies) => {
  const words: string[] = [];
  for (const body of bodies) words.push(`${JSON.stringify(body)}\n  ${await refusal(path, body)}`);
  await expect(`${words.join('\n')}\n`).toMatchFileSnapshot(`refused${path.replaceAll('/', '-')}.txt`);
});

test('a body that is no object, or no JSON, is refused as a whole', async () => {
  const headers = { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' };
  for (const body of ['[]', '"x"', 'null', '{'])
    expect((await fetch(`${at.url}/v1/messages`, { method: 'POST', headers, body })).status).toBe(400);
});
