// A model server on loopback that refuses what the real ones refuse, and answers in their wire protocols. It keeps what
// it was sent, and can hold its answers back.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type WireKind = 'openai' | 'anthropic' | 'google' | 'openai-compatible';

// The shape is the provider's; tests only look into it.
export type Body = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly kind: WireKind;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Body;
}

export interface Said {
  readonly text?: string;
  readonly call?: { readonly id: string; readonly name: string; readonly input: unknown };
  readonly usage?: { readonly input: number; readonly output: number };
  /** The reason why the reply is over. */
  readonly finish?: 'stop' | 'length';
}

export interface ModelServer {
  readonly url: string;
  /** The base URL for a provider of this kind. */
  base(kind: WireKind): string;
  readonly asked: readonly Asked[];
  /** The most requests that were under way at once. */
  readonly busiest: number;
  close(): Promise<void>;
}

export type Answering = (asked: Asked, response: ServerResponse) => Said | undefined | Promise<Said | undefined>;

/** Answers with what `answering` says; where it says nothing, it has answered itself. */
export async function modelServer(answering: Answering): Promise<ModelServer> {
  const asked: Asked[] = [];
  let underWay = 0;
  let busiest = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      underWay += 1;
      busiest = Math.max(busiest, underWay);
      response.on('close', () => {
        underWay -= 1;
      });
      const url = request.url ?? '';
      const kind = url.split('/')[1] as WireKind;
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Body;
      const one: Asked = { kind, url, headers: request.headers, body };
      asked.push(one);
      const wrong = refusal(one);
      if (wrong !== undefined) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { type: 'invalid_request_error', message: wrong, code: 400 } }));
        return;
      }
      Promise.resolve(answering(one, response)).then(
        (said) => said !== undefined && say(response, kind, said),
        (thrown: unknown) => response.destroy(thrown as Error),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    base: (kind) => `${url}/${kind}${kind === 'google' ? '/v1beta' : '/v1'}`,
    asked,
    get busiest() {
      return busiest;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function say(response: ServerResponse, kind: WireKind, said: Said): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of eventsOf(kind, said)) response.write(sse(kind, event));
  response.end(kind === 'openai-compatible' ? 'data: [DONE]\n\n' : '');
}

export function sse(kind: WireKind, event: object): string {
  const name = kind === 'anthropic' ? `event: ${String((event as { type?: unknown }).type)}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

export function eventsOf(kind: WireKind, said: Said): readonly object[] {
  const { text = '', call, usage = { input: 20, output: 5 }, finish = 'stop' } = said;
  const args = call === undefined ? '' : JSON.stringify(call.input);
  switch (kind) {
    case 'anthropic': {
      const spent = { input_tokens: usage.input, output_tokens: usage.output };
      const block =
        call === undefined ? { type: 'text', text: '' } : { type: 'tool_use', id: call.id, name: call.name, input: {} };
      const delta =
        call === undefined ? { type: 'text_delta', text } : { type: 'input_json_delta', partial_json: args };
      const reason = finish === 'length' ? 'max_tokens' : call === undefined ? 'end_turn' : 'tool_use';
      return [
        { type: 'message_start', message: { id: 'm', model: 'm', usage: { ...spent, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: reason }, usage: spent },
        { type: 'message_stop' },
      ];
    }
    case 'openai-compatible': {
      const delta =
        call === undefined
          ? { content: text }
          : {
              tool_calls: [{ index: 0, id: call.id, type: 'function', function: { name: call.name, arguments: args } }],
            };
      const reason = finish === 'length' ? 'length' : call === undefined ? 'stop' : 'tool_calls';
      const chunk = { id: '1', created: 1, model: 'm' };
      return [
        { ...chunk, choices: [{ index: 0, delta }] },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }] },
        { ...chunk, choices: [], usage: { prompt_tokens: usage.input, completion_tokens: usage.output } },
      ];
    }
    case 'google': {
      const part = call === undefined ? { text } : { functionCall: { name: call.name, args: call.input } };
      const reason = finish === 'length' ? 'MAX_TOKENS' : 'STOP';
      return [
        {
          candidates: [{ content: { parts: [part], role: 'model' }, finishReason: reason }],
          usageMetadata: { promptTokenCount: usage.input, candidatesTokenCount: usage.output },
        },
      ];
    }
    case 'openai': {
      const item =
        call === undefined
          ? { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }
          : { type: 'function_call', id: 'i', call_id: call.id, name: call.name, arguments: args, status: 'completed' };
      const spent = { input_tokens: usage.input, output_tokens: usage.output };
      const incomplete = finish === 'length' ? { incomplete_details: { reason: 'max_output_tokens' } } : {};
      return [
        { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
        { type: 'response.output_item.added', output_index: 0, item: { ...item, ...(call && { arguments: '' }) } },
        ...(call === undefined ? [{ type: 'response.output_text.delta', item_id: 'i', delta: text }] : []),
        { type: 'response.output_item.done', output_index: 0, item },
        {
          type: finish === 'length' ? 'response.incomplete' : 'response.completed',
          response: { ...incomplete, usage: spent },
        },
      ];
    }
  }
}

type Parts = readonly Readonly<Record<string, unknown>>[];

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const partsOf = (value: unknown): Parts => (Array.isArray(value) ? (value as Parts) : []);

/** The refusal of the real server, in its words. */
function refusal({ kind, body }: Asked): string | undefined {
  switch (kind) {
    case 'anthropic':
      return anthropicRefusal(body);
    case 'google':
      return googleRefusal(body);
    case 'openai':
      return responsesRefusal(body);
    case 'openai-compatible':
      return chatRefusal(body);
  }
}

function anthropicRefusal(body: Body): string | undefined {
  const known = new Set<unknown>();
  let open = new Set<unknown>();
  for (const [at, message] of partsOf(body['messages']).entries()) {
    const blocks = partsOf(message['content']);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    if (message['role'] === 'user') {
      for (const id of open) {
        if (!results.some((one) => one['tool_use_id'] === id))
          return `messages.${at}: tool_use ${String(id)} has no tool_result`;
      }
      if (results.some((one) => !open.has(one['tool_use_id']))) return `messages.${at}: unexpected tool_use_id`;
      if (blocks.findLastIndex(({ type }) => type === 'tool_result') >= Math.max(1, results.length))
        return `messages.${at}: tool_result blocks must come first`;
      open = new Set();
    }
    for (const { type, id, name, input, text } of blocks) {
      if (type === 'text' && String(text).trim() === '') return 'text content blocks must contain non-whitespace text';
      if (type !== 'tool_use') continue;
      if (!/^[a-zA-Z0-9_-]+$/.test(String(id))) return `tool_use.id: String should match pattern: ${String(id)}`;
      if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(name)))
        return `tool_use.name: String should match pattern: ${String(name)}`;
      if (!isObject(input)) return 'tool_use.input: Input should be a valid dictionary';
      if (known.has(id)) return 'tool_use ids must be unique';
      known.add(id);
      open.add(id);
    }
  }
  const thinking = body['thinking'] as { readonly budget_tokens?: number } | undefined;
  if (thinking?.budget_tokens !== undefined && thinking.budget_tokens >= Number(body['max_tokens']))
    return 'max_tokens must be greater than thinking.budget_tokens';
  return undefined;
}

function responsesRefusal(body: Body): string | undefined {
  const open = new Set<unknown>();
  for (const item of partsOf(body['input'])) {
    if (item['type'] === 'function_call') {
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(item['name']))) return `Invalid 'input.name': ${String(item['name'])}`;
      if (String(item['call_id']).length > 64) return "Invalid 'input.call_id': string too long";
      if (open.has(item['call_id'])) return 'Duplicate call_id';
      open.add(item['call_id']);
    }
    if (item['type'] === 'function_call_output' && !open.delete(item['call_id']))
      return 'No tool call found for output';
  }
  return open.size > 0 ? 'No tool output found for function call' : undefined;
}

function chatRefusal(body: Body): string | undefined {
  let open = new Set<unknown>();
  for (const message of partsOf(body['messages'])) {
    if (message['role'] === 'tool' && !open.delete(message['tool_call_id'])) return 'tool message without a call';
    if (message['role'] !== 'tool' && open.size > 0) return 'tool_calls must be followed by tool messages';
    for (const call of partsOf(message['tool_calls'])) {
      const { name } = call['function'] as { readonly name: string };
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return `Invalid 'tool_calls.function.name': ${name}`;
      if (String(call['id']).length > 40) return "Invalid 'tool_calls.id': string too long";
      open = new Set([...open, call['id']]);
    }
  }
  return undefined;
}

function googleRefusal(body: Body): string | undefined {
  for (const { parts } of partsOf(body['contents'])) {
    for (const part of partsOf(parts)) {
      const call = part['functionCall'] as { readonly name: string; readonly args: unknown } | undefined;
      if (call === undefined) continue;
      if (!/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(call.name)) return `Invalid function name: ${call.name}`;
      if (!isObject(call.args)) return 'Invalid value at function_call.args (Struct)';
    }
  }
  return undefined;
}
