// A reply that no server sent, taken apart while the first real one is on its way. Node compiles code when it first runs,
// and the packages their schemas: without this the time for that lies between the last byte of the first reply and its
// record, where a crash means that the call is paid twice.

import type { HttpAnswer } from '../../base/net/http-answer.ts';
import { user } from '../../kernel/message.ts';
import { type AttemptResult, attempt } from '../attempt.ts';
import type { ModelProvider } from '../provider.ts';
import type { OwnKind } from './access.ts';

const LIMITS = { timeoutMs: 60_000, stallMs: 60_000, clock: Date.now };

/** Calls the provider once without a server. Its end does not matter to the call that it is made for. */
export const rehearse = (provider: ModelProvider): Promise<AttemptResult> =>
  attempt(
    provider,
    {
      model: 'rehearsal',
      session: '0',
      agent: 'rehearsal',
      turn: 1,
      settings: {},
      system: 'You rehearse.',
      messages: [user('Go.')],
      tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }],
      choice: 'auto',
      output: { format: 'markdown' },
    },
    LIMITS,
    new AbortController().signal,
  );

/** An answer as a server of this kind would send it. */
export function rehearsedAnswer(kind: OwnKind): HttpAnswer {
  const parts = EVENTS[kind].map((event) => Buffer.from(event));
  return {
    status: 200,
    statusText: 'OK',
    headers: new Headers({ 'content-type': 'text/event-stream' }),
    read: async () => parts.shift(),
    cancel: () => {},
    leave: () => {},
  };
}

const data = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const named = (event: { readonly type: string } & Readonly<Record<string, unknown>>): string =>
  `event: ${event.type}\n${data(event)}`;
const chunk = (more: object): string =>
  data({ id: 'r', object: 'chat.completion.chunk', created: 1, model: 'm', ...more });
const choice = (delta: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const item = { type: 'function_call', id: 'i', call_id: 'c', name: 'look', status: 'completed' };

/** Some text and a call of a tool, each in its protocol. */
const EVENTS: Readonly<Record<OwnKind, readonly string[]>> = {
  'openai-compatible': [
    chunk(choice({ role: 'assistant', content: 'I ' })),
    chunk(choice({ content: 'look.' })),
    chunk(
      choice({
        tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'look', arguments: '{"at":[1]}' } }],
      }),
    ),
    chunk({ ...choice({}, 'tool_calls'), usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
    'data: [DONE]\n\n',
  ],
  openai: [
    data({ type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } }),
    data({ type: 'response.output_text.delta', item_id: 't', delta: 'I look.' }),
    data({ type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } }),
    data({ type: 'response.output_item.done', output_index: 0, item: { ...item, arguments: '{"at":[1]}' } }),
    data({ type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1 } } }),
  ],
  anthropic: [
    named({ type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } }),
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I look.' } }),
    named({ type: 'content_block_stop', index: 0 }),
    named({
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'c', name: 'look', input: {} },
    }),
    named({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"at":[1]}' } }),
    named({ type: 'content_block_stop', index: 1 }),
    named({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { input_tokens: 1, output_tokens: 1 } }),
    named({ type: 'message_stop' }),
  ],
  google: [
    data({
      candidates: [
        {
          content: {
            parts: [{ text: 'I look.' }, { functionCall: { name: 'look', args: { at: [1] } } }],
            role: 'model',
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
    }),
  ],
};
