// A response of OpenAI's responses API, whole and as the events of its stream.

import { present } from '../../../base/text/present.ts';
import type { Totals } from '../../../views/costs/totals.ts';
import type { AnswerFrames } from '../answer-stream.ts';
import type { HeadRun } from '../head-run.ts';
import { COMMENT } from './chat-completion.ts';

/** The id of a response is its run, so that a later request can name it. */
const PREFIX = 'resp_';
const responseId = (run: string): string => PREFIX + run;
export const runOfResponse = (id: string): string | undefined =>
  id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined;

/** The usage of a run's whole tree. */
const responseUsage = ({ input, output, cacheRead, reasoning }: Totals) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cacheRead },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

type Status = 'in_progress' | 'completed' | 'failed';

function responseHead({ run, asked, place, startedAt }: HeadRun, status: Status) {
  const { served, contract, named } = asked;
  return {
    id: responseId(run),
    object: 'response',
    created_at: Math.floor(startedAt / 1000),
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: served.name,
    output: [] as readonly object[],
    parallel_tool_calls: false,
    previous_response_id: named.after === undefined ? null : responseId(named.after),
    conversation: { id: place.thread },
    store: true,
    temperature: null,
    text: { format: { type: contract?.format === 'json' ? 'json_schema' : 'text' } },
    tool_choice: 'none',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage: null as ReturnType<typeof responseUsage> | null,
  };
}

const messageItem = ({ run }: HeadRun, content: readonly object[], status: Status) => ({
  id: `msg_${run}`,
  type: 'message',
  role: 'assistant',
  status,
  content,
});

const textPart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });

export function completedResponse(of: HeadRun, text: string, totals: Totals) {
  const output = [messageItem(of, [textPart(text)], 'completed')];
  return { ...responseHead(of, 'completed'), output, output_text: text, usage: responseUsage(totals) };
}

export function responseEvents(of: HeadRun): AnswerFrames {
  let sequence = 0;
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  const item = messageItem(of, [], 'in_progress');
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  return {
    begin: () =>
      event('response.created', { response: responseHead(of, 'in_progress') }) +
      event('response.in_progress', { response: responseHead(of, 'in_progress') }) +
      event('response.output_item.added', { output_index: 0, item }) +
      event('response.content_part.added', { ...at, part: textPart('') }),
    text: (text) => event('response.output_text.delta', { ...at, delta: text, logprobs: [] }),
    end: (text, totals) =>
      event('response.output_text.done', { ...at, text, logprobs: [] }) +
      event('response.content_part.done', { ...at, part: textPart(text) }) +
      event('response.output_item.done', {
        output_index: 0,
        item: messageItem(of, [textPart(text)], 'completed'),
      }) +
      event('response.completed', { response: completedResponse(of, text, totals) }),
    fail: ({ code, message, run, outcome, partial }) =>
      event('response.failed', {
        response: {
          ...responseHead(of, 'failed'),
          error: { code, message, ...present({ run, outcome, partial: partial || undefined }) },
        },
      }),
    beat: COMMENT,
  };
}
