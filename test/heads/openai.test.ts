// The OpenAI head with OpenAI's own client.

import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENTS, type Served, served } from '../support/served.ts';

let at: Served;
let client: OpenAI;
beforeAll(async () => {
  at = await served(AGENTS);
  client = clientWith(at.token);
});
afterAll(() => at.close());

const clientWith = (apiKey: string): OpenAI => new OpenAI({ baseURL: `${at.url}/v1`, apiKey, maxRetries: 0 });
const user = (content: string) => ({ role: 'user', content }) as const;
const assistant = (content: string) => ({ role: 'assistant', content }) as const;
const refusedBy = async (work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> =>
  work.then(
    () => {
      throw new Error('it was not refused');
    },
    (thrown: unknown) => thrown as InstanceType<typeof OpenAI.APIError>,
  );

test('the agents are its models', async () => {
  const names = (await client.models.list()).data.map(({ id }) => id);
  expect(names).toContain('echo');
  expect((await client.models.retrieve('echo')).object).toBe('model');
  expect((await refusedBy(client.models.retrieve('nobody'))).status).toBe(404);
});

test('a chat completion is the answer of a run', async () => {
  const made = await client.chat.completions.create({ model: 'echo', messages: [user('Hello.')] });
  expect(made.choices[0]?.message.content).toBe('You said: Hello.');
  expect(made.choices[0]?.finish_reason).toBe('stop');
  expect(made.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
});

test('the usage is that of the whole tree', async () => {
  const made = await client.chat.completions.create({ model: 'boss', messages: [user('Ask.')] });
  expect(made.usage).toMatchObject({ prompt_tokens: 310, completion_tokens: 35 });
});

test('a stream has the answer in pieces, and the usage at its end', async () => {
  const stream = await client.chat.completions.create({
    model: 'echo',
    messages: [user('Hello to all of you.')],
    stream: true,
    stream_options: { include_usage: true },
  });
  const pieces: string[] = [];
  let usage: unknown;
  let finish: unknown;
  for await (const chunk of stream) {
    pieces.push(chunk.choices[0]?.delta.content ?? '');
    finish = chunk.choices[0]?.finish_reason ?? finish;
    usage = chunk.usage ?? usage;
  }
  expect(pieces.join('')).toBe('You said: Hello to all of you.');
  expect(pieces.filter((piece) => piece !== '').length).toBeGreaterThan(1);
  expect(finish).toBe('stop');
  expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 });
});

test('the text before a tool call is a paragraph of its own in a stream, and no part of the answer', async () => {
  const request = { model: 'looker', messages: [user('Look.')] } as const;
  const whole = await client.chat.completions.create({ ...request, messages: [...request.messages] });
  expect(whole.choices[0]?.message.content).toBe('I looked.');
  const stream = client.chat.completions.stream({ ...request, messages: [...request.messages] });
  expect(await stream.finalContent()).toBe('Let me look.\n\nI looked.');
});

test('several turns reach the same thread, also after a restart', async () => {
  const first = await client.chat.completions.create({ model: 'echo', messages: [user('my name is Ada')] });
  const said = [user('my name is Ada'), assistant(first.choices[0]?.message.content ?? '')];
  const second = await client.chat.completions.create({ model: 'echo', messages: [...said, user('Who am I?')] });
  expect(second.choices[0]?.message.content).toBe('Your name is Ada.');
  await at.restart();
  client = clientWith(at.token);
  const more = [...said, user('Who am I?'), assistant('Your name is Ada.'), user('And again?')];
  await client.chat.completions.create({ model: 'echo', messages: more });
  const runs = (await at.runs()).slice(-3);
  expect(new Set(runs.map(({ thread }) => thread)).size).toBe(1);
  expect(runs.map(({ continues }) => continues)).toEqual([undefined, runs[0]?.run, runs[1]?.run]);
});

test('a turn that follows a streamed answer with text before it reaches the same thread', async () => {
  const content = await client.chat.completions
    .stream({ model: 'looker', messages: [user('Look about.')] })
    .finalContent();
  const messages = [user('Look about.'), assistant(content ?? ''), user('And now?')];
  await client.chat.completions.create({ model: 'looker', messages });
  const [before, after] = (await at.runs()).slice(-2);
  expect(after?.thread).toBe(before?.thread);
  expect(after?.continues).toBe(before?.run);
});

test('conversations that begin alike are different threads', async () => {
  await client.chat.completions.create({ model: 'echo', messages: [user('Hi.')] });
  await client.chat.completions.create({ model: 'echo', messages: [user('Hi.')] });
  const [one, other] = (await at.runs()).slice(-2);
  expect(one?.thread).toBeDefined();
  expect(one?.thread).not.toBe(other?.thread);
});

test('a client that names the thread sends only what is new', async () => {
  const headers = { 'X-Cadre-Thread': 'ada-1' };
  await client.chat.completions.create({ model: 'echo', messages: [user('my name is Ada')] }, { headers });
  const made = await client.chat.completions.create({
    model: 'echo',
    messages: [user('Who?')],
    metadata: { thread: 'ada-1' },
  });
  expect(made.choices[0]?.message.content).toBe('Your name is Ada.');
  const other = client.chat.completions.create({ model: 'boss', messages: [user('Who?')] }, { headers });
  expect(await refusedBy(other)).toMatchObject({ status: 409, code: 'thread/other-agent' });
});

test('system and developer messages are given to the agent beside its own prompt', async () => {
  await client.chat.completions.create({
    model: 'echo',
    messages: [
      { role: 'system', content: 'Answer in French.' },
      { role: 'developer', content: 'Be kind.' },
      user('Go.'),
    ],
  });
  const { run } = (await at.runs()).at(-1)!;
  const events = [];
  for await (const event of at.store.read(run)) events.push(event);
  const call = events.find((event) => event.type === 'op-start' && event.op.kind === 'model');
  expect(JSON.stringify(call)).toContain('instructions from the client: \\"Answer in French.\\\\n\\\\nBe kind.\\"');
});

test('a response format is the contract that the answer must satisfy', async () => {
  const schema = {
    type: 'object',
    properties: { filed: { type: 'string' } },
    required: ['filed'],
    additionalProperties: false,
  };
  const response_format = { type: 'json_schema', json_schema: { name: 'filed', strict: true, schema } } as const;
  const made = await client.chat.completions.create({ model: 'clerk', messages: [user('File it.')], response_format });
  expect(JSON.parse(made.choices[0]?.message.content ?? '')).toEqual({ filed: 'yes' });
  const parsed = await client.chat.completions.parse({ model: 'clerk', messages: [user('File it.')], response_format });
  expect(parsed.choices[0]?.message.parsed).toEqual({ filed: 'yes' });
  const stream = client.chat.completions.stream({ model: 'clerk', messages: [user('File it.')], response_format });
  expect(await stream.finalContent()).toBe('{"filed":"yes"}');
  const wrong = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'nonsense' } } } as const;
  const refused = await refusedBy(
    client.chat.completions.create({ model: 'clerk', messages: [user('x')], response_format: wrong }),
  );
  expect(refused).toMatchObject({ status: 400, param: 'response_format.schema' });
});

test('a function that must be called is the form of the answer', async () => {
  const parameters = { type: 'object', properties: { filed: { type: 'string' } }, required: ['filed'] };
  const tools = [{ type: 'function', function: { name: 'file', parameters } }] as OpenAI.ChatCompletionFunctionTool[];
  const request = { model: 'clerk', messages: [user('File it.')], tools } as const;
  const tool_choice = { type: 'function', function: { name: 'file' } } as const;
  const made = await client.chat.completions.create({ ...request, messages: [...request.messages], tool_choice });
  const [call] = made.choices[0]?.message.tool_calls ?? [];
  expect(call).toMatchObject({ type: 'function', function: { name: 'file', arguments: '{"filed":"yes"}' } });
  const stream = client.chat.completions.stream({
    ...request,
    messages: [...request.messages],
    tool_choice: 'required',
  });
  expect((await stream.finalMessage()).tool_calls?.[0]).toMatchObject({ function: { arguments: '{"filed":"yes"}' } });
  expect([made, await stream.finalChatCompletion()].map(({ choices }) => choices[0]?.finish_reason)).toEqual([
    'tool_calls',
    'tool_calls',
  ]);
  const response_format = { type: 'json_object' } as const;
  const both = { ...request, messages: [...request.messages], tool_choice, response_format };
  expect(await refusedBy(client.chat.completions.create(both))).toMatchObject({ status: 400, param: 'tools' });
});

test('an agent that takes JSON is asked with JSON', async () => {
  const made = await client.chat.completions.create({ model: 'form', messages: [user('{"order":"17"}')] });
  expect(made.choices[0]?.message.content).toBe('Order 17 is here.');
  for (const wrong of ['order 17', '{"order":17}']) {
    const refused = await refusedBy(client.chat.completions.create({ model: 'form', messages: [user(wrong)] }));
    expect(refused).toMatchObject({ status: 422, code: 'input/invalid' });
  }
});

const tool = { type: 'function', function: { name: 'now' } } as const;

test.each([
  ['n', { n: 2 }],
  ['tools', { tools: [tool] }],
  ['seed', { seed: 7 }],
  ['logprobs', { logprobs: true }],
  ['stop', { stop: ['END'] }],
  ['modalities', { modalities: ['text', 'audio'] }],
  ['reasoning_effort', { reasoning_effort: 'high' }],
  ['temprature', { temprature: 1 }],
  [
    'messages[0].content[0].image_url.url',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] },
  ],
  ['messages[0]', { messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] }],
  ['messages', { messages: [] }],
  ['response_format', { response_format: 'json' }],
])('%s is refused by its name', async (param, fields) => {
  const body = { model: 'echo', messages: [user('x')], ...fields } as OpenAI.ChatCompletionCreateParamsNonStreaming;
  expect(await refusedBy(client.chat.completions.create(body))).toMatchObject({ status: 400, param });
});

test('parameters that clients send by themselves change nothing', async () => {
  const extras = {
    temperature: 0.7,
    top_p: 1,
    max_tokens: 5,
    n: 1,
    presence_penalty: 0,
    user: 'u',
    tools: [],
    stop: null,
    seed: null,
  };
  const made = await client.chat.completions.create({ model: 'echo', messages: [user('Still here?')], ...extras });
  expect(made.choices[0]?.message.content).toBe('You said: Still here?');
});

test.each([
  ['nobody', 404, 'model_not_found', undefined],
  ['broken', 502, 'model/refused-key', 'failed'],
  ['tired', 422, 'turns/exhausted', 'exhausted'],
  ['poor', 402, 'budget/exceeded', 'over-budget'],
])('%s is answered with status %i, in a stream too', async (model, status, code, outcome) => {
  for (const stream of [false, true]) {
    const refused = await refusedBy(
      client.chat.completions.create({ model, messages: [user('x')], stream }).then(async (made) => {
        if (Symbol.asyncIterator in made) for await (const _ of made);
      }),
    );
    expect(refused).toMatchObject(stream && model === 'tired' ? { code } : { status, code });
    if (outcome !== undefined) expect(refused.error).toMatchObject({ outcome });
    if (!stream) expect(refused.headers?.get('x-should-retry')).toBe('false');
  }
});

test('the text that a run had written comes with its failure', async () => {
  const refused = await refusedBy(client.chat.completions.create({ model: 'tired', messages: [user('x')] }));
  expect(refused.error).toMatchObject({ partial: 'Still at it.' });
});

test('a token is needed, and holds for its own agents alone', async () => {
  const ask = (token: string, model: string) =>
    clientWith(token).chat.completions.create({ model, messages: [user('Hello.')] });
  expect(await refusedBy(ask('nonsense', 'echo'))).toMatchObject({ status: 401, type: 'authentication_error' });
  expect((await ask('guest-token-of-the-tests', 'echo')).choices[0]?.message.content).toBe('You said: Hello.');
  expect(await refusedBy(ask('guest-token-of-the-tests', 'boss'))).toMatchObject({
    status: 403,
    type: 'permission_error',
  });
  expect(await refusedBy(ask('looker-token-of-the-tests', 'echo'))).toMatchObject({ status: 403 });
  expect((await clientWith('looker-token-of-the-tests').models.list()).data.length).toBeGreaterThan(5);
});

test('a token that may not see runs cannot go on by an id', async () => {
  await client.chat.completions.create({
    model: 'echo',
    messages: [user('my name is Ada')],
    metadata: { thread: 'private' },
  });
  const guest = clientWith('guest-token-of-the-tests');
  const asked = guest.chat.completions.create({
    model: 'echo',
    messages: [user('Who am I?')],
    metadata: { thread: 'private' },
  });
  expect(await refusedBy(asked)).toMatchObject({ status: 403, code: 'request/forbidden' });
});

test('a connection that closes in mid-stream cancels its run', async () => {
  const stream = await client.chat.completions.create({ model: 'slow', messages: [user('Go.')], stream: true });
  for await (const chunk of stream) if ((chunk.choices[0]?.delta.content ?? '') !== '') break;
  const { run } = (await at.runs()).at(-1)!;
  expect(await at.server.context.engine.outcome(run)).toMatchObject({ kind: 'cancelled' });
});

test('a connection that closes before the answer cancels its run', async () => {
  const leave = new AbortController();
  const before = (await at.runs()).length;
  const asked = client.chat.completions.create({ model: 'slow', messages: [user('Go.')] }, { signal: leave.signal });
  while ((await at.runs()).length === before) await new Promise((resolve) => setTimeout(resolve, 5));
  leave.abort();
  await expect(asked).rejects.toThrow();
  const { run } = (await at.runs()).at(-1)!;
  expect(await at.server.context.engine.outcome(run)).toMatchObject({ kind: 'cancelled' });
});

test('requests with one Idempotency-Key are one run, and a connection that closes does not cancel it', async () => {
  const headers = { 'Idempotency-Key': 'once' };
  const body = { model: 'echo', messages: [user('Once.')] };
  const before = (await at.runs()).length;
  const [one, other] = await Promise.all([0, 1].map(() => client.chat.completions.create(body, { headers })));
  expect(one?.id).toBe(other?.id);
  await at.restart();
  client = clientWith(at.token);
  const stream = client.chat.completions.stream({ ...body }, { headers: { 'Idempotency-Key': 'streamed' } });
  expect(await stream.finalContent()).toBe('You said: Once.');
  expect(await client.chat.completions.create(body, { headers })).toMatchObject({
    id: one?.id,
    usage: { total_tokens: 15 },
  });
  expect((await at.runs()).length).toBe(before + 2);
  const reused = client.chat.completions.create({ ...body, messages: [user('Twice.')] }, { headers });
  expect(await refusedBy(reused)).toMatchObject({ status: 422, code: 'request/key-reused' });
  const kept = { headers: { 'Idempotency-Key': 'kept' } };
  const left = await client.chat.completions.create({ model: 'slow', messages: [user('Go.')], stream: true }, kept);
  for await (const chunk of left) if ((chunk.choices[0]?.delta.content ?? '') !== '') break;
  const { run } = (await at.runs()).at(-1)!;
  await client.models.list();
  expect(at.server.context.engine.isAtWork(run)).toBe(true);
  await at.server.context.engine.handle(run).cancel('The test is over.');
});

test('hostile bodies are refused, and the server goes on', async () => {
  const post = (body: string, type = 'application/json') =>
    fetch(`${at.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${at.token}`, 'content-type': type },
      body,
    });
  const deep = `{"model":"echo","messages":${'['.repeat(5000)}${']'.repeat(5000)}}`;
  const large = JSON.stringify({ model: 'echo', messages: [user('x'.repeat(5_000_000))] });
  const statuses = [];
  for (const body of [
    '',
    'no',
    '[]',
    'null',
    deep,
    large,
    '{"__proto__":{"model":"echo"}}',
    '{"model":7,"messages":[]}',
  ]) {
    const response = await post(body).catch(() => undefined); // a request that is too large may be cut off
    statuses.push(response?.status ?? 413);
    if (response !== undefined) expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
  }
  expect(statuses).toEqual([400, 400, 400, 400, 400, 413, 400, 400]);
  expect((await post('{}', 'text/plain')).status).toBe(415);
  const made = await client.chat.completions.create({ model: 'echo', messages: [user('Alive?')] });
  expect(made.choices[0]?.message.content).toBe('You said: Alive?');
});
