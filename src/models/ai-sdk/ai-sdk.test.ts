import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Message, user } from '../../kernel/message.ts';
import { collectEvents, describeProvider, PREPARED, sampleRequest } from '../provider.conformance.ts';
import type { Access } from './access.ts';
import { aiSdk } from './ai-sdk.ts';

interface Protocol {
  readonly kind: Access['kind'];
  /** The path below the server's address. */
  readonly path: string;
  readonly model: string;
  /** The ends of a reply, as aimock names them. */
  readonly finish: { readonly text?: string; readonly calls?: string };
}

const PROTOCOLS: readonly Protocol[] = [
  { kind: 'openai', path: '/v1', model: 'gpt-5', finish: {} },
  { kind: 'anthropic', path: '/v1', model: 'claude-sonnet-4-5', finish: {} },
  { kind: 'google', path: '/v1beta', model: 'gemini-2.5-flash', finish: { text: 'STOP', calls: 'STOP' } },
  { kind: 'openai-compatible', path: '/v1', model: 'local', finish: {} },
];

const USAGE = {
  prompt_tokens: 21,
  completion_tokens: 9,
  input_tokens: 21,
  output_tokens: 9,
  promptTokenCount: 21,
  candidatesTokenCount: 9,
};

async function startMock({ finish }: Protocol): Promise<LLMock> {
  const mock = new LLMock({ port: 0, chunkSize: 8 });
  const text = { usage: USAGE, ...(finish.text ? { finishReason: finish.text } : {}) };
  const calls = { usage: USAGE, ...(finish.calls ? { finishReason: finish.calls } : {}) };
  mock.addFixture({
    match: { userMessage: PREPARED.look.input, hasToolResult: true },
    response: { content: PREPARED.look.afterwards, ...text },
  });
  mock.onMessage(PREPARED.greet.input, { content: PREPARED.greet.text, ...text });
  mock.onMessage(PREPARED.look.input, { toolCalls: [PREPARED.look.call], ...calls });
  mock.onMessage(PREPARED.both.input, { toolCalls: [...PREPARED.both.calls], ...calls });
  mock.onMessage(PREPARED.wait.input, { content: 'late', ...text }, { latency: 25_000 });
  mock.onMessage('Think first.', { content: 'Done.', reasoning: 'Let me think.', ...text });
  await mock.start();
  return mock;
}

for (const protocol of PROTOCOLS) {
  describeProvider(`${protocol.kind} over HTTP`, async () => {
    const mock = await startMock(protocol);
    const provider = aiSdk('mock', {
      kind: protocol.kind,
      apiKey: 'key',
      baseUrl: `${mock.url}${protocol.path}`,
      headers: {},
    });
    return { provider, model: protocol.model, close: () => mock.stop() };
  });
}

describe.each(PROTOCOLS)('$kind', (protocol) => {
  let mock: LLMock;
  beforeAll(async () => {
    mock = await startMock(protocol);
  });
  afterAll(() => mock.stop());
  const provider = () =>
    aiSdk('mock', { kind: protocol.kind, apiKey: 'key', baseUrl: `${mock.url}${protocol.path}`, headers: {} });

  test('the usage is what the server counted', async () => {
    const events = await collectEvents(
      provider(),
      sampleRequest({ model: protocol.model, messages: [user(PREPARED.greet.input)] }),
    );
    expect(events.at(-1)).toMatchObject({ usage: { input: 21, output: 9 } });
  });

  test('reasoning is kept apart from the answer, and a conversation that holds it goes on', async () => {
    const asked: readonly Message[] = [user('Think first.')];
    const settings = { reasoning: 'low' } as const;
    const events = await collectEvents(provider(), sampleRequest({ model: protocol.model, messages: asked, settings }));
    const end = events.at(-1);
    if (end?.type !== 'reply-end') throw new Error(JSON.stringify(end));
    expect(end.message).toMatchObject({ text: 'Done.', reasoning: 'Let me think.' });
    const next = [...asked, end.message, user(PREPARED.greet.input)];
    const after = await collectEvents(provider(), sampleRequest({ model: protocol.model, messages: next, settings }));
    expect(after.at(-1)).toMatchObject({ type: 'reply-end', message: { text: PREPARED.greet.text } });
  });
});
