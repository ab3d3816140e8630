// Model servers that lie about what a call took: no report pays a budget back, and none keeps it from being spent.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

let folder: Folder | undefined;
let server: Server | undefined;
afterEach(() => {
  folder?.remove();
  server?.close();
  server?.closeAllConnections();
});

/** Calls a tool for ever, and reports this usage each time. */
async function lying(usage: object): Promise<{ readonly port: number; readonly asked: () => number }> {
  let asked = 0;
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      asked += 1;
      const call = { index: 0, id: `c${asked}`, type: 'function', function: { name: 'list_files', arguments: '{}' } };
      const parts = [
        { delta: { role: 'assistant', tool_calls: [call] }, finish_reason: null },
        { delta: {}, finish_reason: 'tool_calls' },
      ];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const part of parts) {
        const event = {
          id: 'x',
          object: 'chat.completion.chunk',
          created: 1,
          model: 'm',
          choices: [{ index: 0, ...part }],
        };
        response.write(`data: ${JSON.stringify(event)}\n\n`);
      }
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })}\n\n`,
      );
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, asked: () => asked };
}

test.each([
  ['negative', { prompt_tokens: -1_000_000, completion_tokens: -1_000_000, total_tokens: -2_000_000 }],
  ['nothing', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
])('a server that reports %s does not keep a budget from being reached', async (_, usage) => {
  const { port, asked } = await lying(usage);
  folder = folderWith({
    'cadre.yaml': `providers: { far: { kind: openai-compatible, baseUrl: "http://127.0.0.1:${port}/v1" } }\ndefaults: { models: [far/m], maxOutputTokens: 200, maxTurns: 80 }\n`,
    'spender.md':
      '---\ndescription: Spends.\ntools: [files]\nbudget: { tokens: 20000 }\nstuck: off\nmaxRetries: 1\n---\nYou spend.\n',
  });
  const ran = await folder.cadre(['run', 'spender', 'go']);
  expect(asked()).toBeLessThan(60);
  expect([ran.exit, ran.stderr]).toEqual([
    4,
    expect.stringMatching(/^Over budget: the next call may take [0-9.k]+ tokens; [0-9.k]+ of 20k are left\./),
  ]);
  expect((await folder.cadre(['replay'])).stdout).toMatch(/^identical: /);
});
