// A model server whose answers are a function of what it is asked. It closes when the test has finished.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** `asked` is the body of the request. Returns the address that cadre.yaml takes as `baseUrl`. */
export async function answeringServer(
  answer: (asked: string) => { readonly content: string; readonly input: number },
): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { content, input } = answer(Buffer.concat(parts).toString());
      const chunk = {
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }],
        usage: { prompt_tokens: input, completion_tokens: 5, total_tokens: input + 5 },
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
