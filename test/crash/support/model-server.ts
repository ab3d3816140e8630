// A model behind a real HTTP server on loopback, in the shape of OpenAI's streaming chat completions. It answers by
// who asks and how often, and remembers what it was asked.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  /** The agent, by the first line of the system prompt: `You are <agent>.` */
  readonly agent: string;
  readonly turn: number;
}

export type ServedReply = { readonly text: string } | { readonly calls: readonly (readonly [string, unknown])[] };

export interface ModelServer {
  readonly baseUrl: string;
  readonly requests: readonly Asked[];
  /** The number of requests that were answered to the end while the caller was still there. */
  readonly answered: number;
  close(): Promise<void>;
}

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}

export async function modelServer(
  answer: (asked: Asked) => ServedReply,
  onRequest: (asked: Asked) => void | Promise<void> = () => {},
): Promise<ModelServer> {
  const requests: Asked[] = [];
  let answered = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
    const system = messages.find(({ role }) => role === 'system');
    const agent = /You are (\w+)\./.exec(JSON.stringify(system?.content))?.[1] ?? '?';
    const asked = { agent, turn: messages.filter(({ role }) => role === 'assistant').length + 1 };
    requests.push(asked);
    await onRequest(asked);
    await stream(response, answer(asked));
    if (!response.destroyed) answered++;
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((thrown: unknown) => response.destroy(thrown as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    get answered() {
      return answered;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Takes its time over the stream, so that a kill can fall into it. */
const PAUSE_MS = 12;

async function stream(response: ServerResponse, reply: ServedReply): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of piecesOf(reply)) {
    response.write(
      `data: ${JSON.stringify({ id: 'r', object: 'chat.completion.chunk', created: 1, model: 'm', ...piece })}\n\n`,
    );
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  response.end('data: [DONE]\n\n');
}

function piecesOf(reply: ServedReply): readonly object[] {
  const choice = (delta: object, finish: string | null = null): object => ({
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const said =
    'text' in reply
      ? reply.text.split(/(?<= )/).map((content) => choice({ role: 'assistant', content }))
      : reply.calls.map(([name, given], index) =>
          choice({
            role: 'assistant',
            tool_calls: [
              { index, id: `call_${index}`, type: 'function', function: { name, arguments: JSON.stringify(given) } },
            ],
          }),
        );
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  return [...said, { ...choice({}, 'text' in reply ? 'stop' : 'tool_calls'), usage }];
}
