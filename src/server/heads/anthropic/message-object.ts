// A message of Anthropic's API, whole and as the events of its stream.

import { parseJson } from '../../../base/text/json.ts';
import type { Totals } from '../../../views/costs/totals.ts';
import type { ForcedTool } from '../answer-contract.ts';
import type { AnswerFrames } from '../answer-stream.ts';
import type { HeadRun } from '../head-run.ts';
import { anthropicError } from './anthropic-error.ts';

/** The usage of the whole tree. Anthropic counts cached input beside the rest, and we within it. */
const usageOf = ({ input, output, cacheRead, cacheWrite }: Totals) => ({
  input_tokens: Math.max(0, input - cacheRead - cacheWrite),
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  output_tokens: output,
});

const NOTHING_YET = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

const messageHead = ({ run, asked }: HeadRun) => ({
  id: `msg_${run}`,
  type: 'message',
  role: 'assistant',
  model: asked.served.name,
});

/** The message of an answer. If a tool had to be used, the answer is its input. */
export const wholeMessage = (of: HeadRun, text: string, totals: Totals, tool?: ForcedTool): object => ({
  ...messageHead(of),
  content: [tool === undefined ? { type: 'text', text } : { ...useOf(of, tool), input: parseJson(text) }],
  stop_reason: stopOf(tool),
  stop_sequence: null,
  usage: usageOf(totals),
});

const useOf = ({ run }: HeadRun, { name }: ForcedTool) => ({ type: 'tool_use', id: `toolu_${run}`, name });
const stopOf = (tool: ForcedTool | undefined): string => (tool === undefined ? 'end_turn' : 'tool_use');

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

export function messageEvents(of: HeadRun, tool?: ForcedTool): AnswerFrames {
  const [before = '', after = ''] = event('content_block_delta', {
    index: 0,
    delta: tool === undefined ? { type: 'text_delta', text: '#' } : { type: 'input_json_delta', partial_json: '#' },
  }).split('"#"');
  return {
    begin: () =>
      event('message_start', {
        message: {
          ...messageHead(of),
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: NOTHING_YET,
        },
      }) +
      event('content_block_start', {
        index: 0,
        content_block: tool === undefined ? { type: 'text', text: '' } : { ...useOf(of, tool), input: {} },
      }),
    text: (text) => before + JSON.stringify(text) + after,
    end: (_, totals) =>
      event('content_block_stop', { index: 0 }) +
      event('message_delta', { delta: { stop_reason: stopOf(tool), stop_sequence: null }, usage: usageOf(totals) }) +
      event('message_stop', {}),
    fail: (fault) => `event: error\ndata: ${JSON.stringify(anthropicError(fault))}\n\n`,
    beat: event('ping', {}),
  };
}
