// Many calls against a server that misbehaves in every way it can. Which way is drawn from a fixed seed.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { user } from '../../kernel/message.ts';
import { callModel, type FailedAttempt } from '../failover.ts';
import { sampleRequest } from '../provider.conformance.ts';
import { aiSdk } from './ai-sdk.ts';

const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: '1', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

const open = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text);

const WAYS: readonly ((response: ServerResponse) => void)[] = [
  (response) => void response.writeHead(500).end('{}'),
  (response) => void response.writeHead(429, { 'retry-after': '1' }).end('{}'),
  (response) => void response.destroy(),
  (response) => {
    open(response, chunk('half'));
    setImmediate(() => response.destroy());
  },
  (response) => {
    open(response, chunk('half'));
    response.end();
  },
  (response) => void open(response, chunk('half')), // stalls
  (response) => {
    open(response, chunk('', 'stop'));
    response.end('data: [DONE]\n\n');
  },
  (response) => {
    open(response, 'data: {"half\n\n');
    response.end();
  },
  (response) => {
    open(response, chunk('a long', 'length'));
    response.end('data: [DONE]\n\n');
  },
];

function* draws(seed: number): Generator<number> {
  for (let state = seed; ; state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) yield state / 2 ** 32;
}

test('two hundred calls through every kind of trouble each end exactly once, and none hangs', async () => {
  const chance = draws(20_261_115);
  const draw = () => chance.next().value as number;
  const server = createServer((_, response) => {
    const misbehave = draw() < 0.6 ? WAYS[Math.floor(draw() * WAYS.length)] : undefined;
    if (misbehave !== undefined) return misbehave(response);
    open(response, chunk('fine', 'stop'));
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const provider = aiSdk('far', { kind: 'openai-compatible', baseUrl: `http://127.0.0.1:${port}/v1`, headers: {} });

  const call = async (index: number) => {
    const failed: FailedAttempt[] = [];
    const settled = await callModel(
      {
        ...sampleRequest({ messages: [user('hi')] }),
        session: `0.${index}`,
        models: ['far/a', 'far/b'],
        maxRetries: 3,
        timeoutMs: 10_000,
        fresh: 0,
        folded: [],
      },
      {
        resolve: async (name) => ({ ok: true, value: { name, provider, model: name.slice(4) } }),
        listener: { onAttempt: (attempt) => void failed.push(attempt) },
        sleep: async () => {},
        stallMs: 60,
      },
      new AbortController().signal,
    );
    return { settled, failed };
  };
  const calls: Awaited<ReturnType<typeof call>>[] = [];
  for (let round = 0; round < 4; round++) {
    calls.push(...(await Promise.all(Array.from({ length: 50 }, (_, index) => call(round * 50 + index)))));
  }
  server.closeAllConnections();
  server.close();

  expect(calls).toHaveLength(200);
  const answered = calls.filter(({ settled }) => settled.ok).length;
  expect(answered).toSatisfy((count: number) => count > 100 && count < 200);
  const codes = new Set(calls.flatMap(({ failed }) => failed.map(({ fault }) => fault.code)));
  for (const { settled, failed } of calls) {
    if (settled.ok) expect(settled.value.message.text).toBe('fine');
    else expect(failed).toHaveLength(6);
    expect(failed.at(-1)?.then.kind === 'give-up').toBe(!settled.ok);
  }
  expect([...codes].sort()).toEqual([
    'model/cut-off',
    'model/empty',
    'model/malformed',
    'model/network',
    'model/rate-limit',
    'model/server',
    'model/stalled',
  ]);
});
