// One example of three agents, with real tools, against loopback servers that speak four wire protocols; and many runs
// against a server that misbehaves at random.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { afterEach, describe, expect, test } from 'vitest';
import { loadCadre } from '../src/index.ts';
import type { RunEvent } from '../src/journal/event.ts';
import { ledger } from '../src/views/costs/ledger.ts';

const PROTOCOLS = [
  { kind: 'openai', path: '/v1', model: 'gpt-5', finish: {} },
  { kind: 'anthropic', path: '/v1', model: 'claude-sonnet-4-5', finish: {} },
  { kind: 'google', path: '/v1beta', model: 'gemini-2.5-flash', finish: { finishReason: 'STOP' } },
  { kind: 'openai-compatible', path: '/v1', model: 'local', finish: {} },
] as const;

const AGENTS = {
  'desk.md': '---\ndescription: Sends requests on.\nrouter: { destinations: [clerk] }\n---\nDESK. Send it on.\n',
  'clerk.md': '---\ndescription: Looks things up.\ntools: [files]\nnext: writer\n---\nCLERK. Look it up.\n',
  'writer.md': '---\ndescription: Writes it nicely.\n---\nWRITER. Write it nicely.\n',
  'notes/a.txt': 'The harbour opens at six.\n',
  'notes/b.txt': 'The harbour closes at nine.\n',
};

let folder = '';
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(cadreYaml: string): string {
  folder = mkdtempSync(join(tmpdir(), 'cadre-wire-'));
  for (const [file, text] of Object.entries({ ...AGENTS, 'cadre.yaml': cadreYaml })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

const USAGE = {
  prompt_tokens: 20,
  completion_tokens: 5,
  input_tokens: 20,
  output_tokens: 5,
  promptTokenCount: 20,
  candidatesTokenCount: 5,
};

describe.each(PROTOCOLS)('$kind', ({ kind, path, model, finish }) => {
  test('a router, a clerk with two tool calls at once and a chained writer answer over HTTP', async () => {
    const mock = new LLMock({ port: 0, chunkSize: 6 });
    const more = { usage: USAGE, ...finish };
    mock.addFixture({
      match: { systemMessage: 'CLERK', hasToolResult: true },
      response: { content: 'From six to nine.', ...more },
    });
    const route = { name: 'handoff-to', arguments: JSON.stringify({ agent: 'clerk', message: 'opening hours' }) };
    mock.addFixture({ match: { systemMessage: 'DESK' }, response: { toolCalls: [route], ...more } });
    const reads = ['a', 'b'].map((name) => ({
      name: 'read_file',
      arguments: JSON.stringify({ path: `notes/${name}.txt` }),
    }));
    mock.addFixture({ match: { systemMessage: 'CLERK' }, response: { toolCalls: reads, ...more } });
    mock.addFixture({
      match: { systemMessage: 'WRITER' },
      response: { content: 'The harbour is open from six to nine.', ...more },
    });
    await mock.start();
    const yaml = `providers:\n  mock: { kind: ${kind}, apiKey: key, baseUrl: "${mock.url}${path}" }\ndefaults: { models: [mock/${model}] }\n`;
    const cadre = await loadCadre(write(yaml), { store: 'memory' });
    const handle = await cadre.run('desk', 'When is the harbour open?');
    const events: RunEvent[] = [];
    for await (const event of handle.events()) events.push(event);
    expect(await handle.outcome()).toMatchObject({
      kind: 'answered',
      agent: 'writer',
      text: 'The harbour is open from six to nine.',
    });
    const { lines, totals } = ledger(events);
    expect(lines.map(({ agent }) => agent)).toEqual(['desk', 'clerk', 'clerk', 'writer']);
    expect(totals).toMatchObject({ calls: 4, input: 80, output: 20 });
    expect(mock.getRequests()).toHaveLength(4);
    await cadre.close();
    await mock.stop();
  });
});

/** A small generator of chance that a test can repeat. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

const chunk = (content: string, finish: string | null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish }] })}\n\n`;

function answer(response: ServerResponse, dice: number): void {
  if (dice < 0.12) return void response.writeHead(500).end('no');
  if (dice < 0.2) return void response.writeHead(429, { 'retry-after': '0' }).end('slow down');
  if (dice < 0.28) return void response.socket?.destroy();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (dice < 0.34) return void response.write(chunk('half', null), () => response.socket?.destroy());
  if (dice < 0.4) return void response.end(chunk('half', null)); // ends without a finish
  if (dice < 0.44) return void response.end('data: {"garb');
  if (dice < 0.47) return void response.write(chunk('stal', null)); // and never goes on
  response.write(chunk('fine', null));
  response.end(`${chunk('.', 'stop')}data: [DONE]\n\n`);
}

test('two hundred runs against a server that misbehaves at random each end in exactly one outcome, and none hangs', async () => {
  const next = chance(42);
  const server = createServer((_, response) => answer(response, next()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const yaml = `providers:\n  local: { kind: openai-compatible, baseUrl: "http://127.0.0.1:${port}/v1" }\ndefaults: { models: [local/a, local/b], maxRetries: 2, modelTimeout: 800ms }\n`;
  const cadre = await loadCadre(write(yaml), { store: 'memory' });
  const kinds = new Map<string, number>();
  const faults = new Set<string>();
  const one = async (): Promise<void> => {
    const handle = await cadre.run('writer', 'hello');
    const events: RunEvent[] = [];
    for await (const event of handle.events()) events.push(event);
    expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1);
    for (const event of events) if (event.type === 'attempt') faults.add(event.fault.code);
    const { kind } = await handle.outcome();
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  };
  for (let batch = 0; batch < 10; batch++) await Promise.all(Array.from({ length: 20 }, one));
  for (const code of ['cut-off', 'network', 'rate-limit', 'server', 'timeout'])
    expect(faults).toContain(`model/${code}`);
  expect([...kinds.values()].reduce((sum, count) => sum + count, 0)).toBe(200);
  expect(kinds.get('answered') ?? 0).toBeGreaterThan(100);
  await cadre.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
