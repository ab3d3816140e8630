// The end of a stream of MCP whose client may not go on reading it: the request that it answers fails, and a stream that
// answers none ends with a comment.

import { faultOf } from '../../../kernel/fault.ts';
import { isFields } from '../fields.ts';

type RequestId = string | number;

/** The id of the request that a stream answers. */
export function idOf(body: unknown): RequestId | undefined {
  const id = isFields(body) && typeof body['method'] === 'string' ? body['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** The same response, whose stream ends when the signal is aborted. */
export function endedBy(lost: AbortSignal, response: Response, id: RequestId | undefined): Response {
  const { body, status, headers } = response;
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
  const source = body.getReader();
  let isOver = false;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        controller.enqueue(new TextEncoder().encode(wordOf(lost, id)));
        controller.close();
        source.cancel().catch(() => {}); // it has ended
      };
      if (lost.aborted) end();
      else lost.addEventListener('abort', end, { once: true });
    },
    async pull(controller) {
      const { done, value } = await source.read();
      if (isOver) return;
      isOver = done;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel(reason) {
      isOver = true;
      return source.cancel(reason);
    },
  });
  return new Response(stream, { status, headers });
}

function wordOf({ reason }: AbortSignal, id: RequestId | undefined): string {
  const { code, message } = faultOf(reason);
  if (id === undefined) return `: ${message}\n\n`;
  const error = { code: -32600, message, data: { code } };
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`;
}
