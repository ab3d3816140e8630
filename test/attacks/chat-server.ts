// A model server on loopback that speaks the OpenAI protocol and says what a test tells it to, one reply a request.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Reply =
  | { readonly text: string }
  | { readonly call: string; readonly input: string }
  | { readonly status: number; readonly body: string };

export interface ChatServer {
  readonly port: number;
  /** The bodies of all requests, as they came. */
  readonly asked: readonly string[];
  close(): void;
}

export async function chatServer(replies: readonly Reply[]): Promise<ChatServer> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const reply = replies[Math.min(asked.length, replies.length - 1)] as Reply;
      asked.push(Buffer.concat(chunks).toString());
      if ('status' in reply) {
        response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of eventsOf(reply)) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, asked, close: () => server.close() };
}

function eventsOf(reply: Exclude<Reply, { status: number }>): readonly object[] {
  const chunk = (delta: object, finish: string | null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const usage = {
    ...chunk({}, null),
    choices: [],
    usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
  };
  if ('text' in reply) return [chunk({ role: 'assistant', content: reply.text }, null), chunk({}, 'stop'), usage];
  const call = { index: 0, id: 'call-1', type: 'function', function: { name: reply.call, arguments: reply.input } };
  return [chunk({ role: 'assistant', tool_calls: [call] }, null), chunk({}, 'tool_calls'), usage];
}
