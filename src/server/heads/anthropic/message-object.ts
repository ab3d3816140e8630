// A message of Anthropic's API, whole and as the events of its stream.

import type { Totals } from '../../../views/totals.ts';
import type { AnswerFrames } from '../answer-stream.ts';
import type { AskedRun } from '../asked-run.ts';
import { anthropicError } from './anthropic-error.ts';

/** What the whole tree used. Anthropic counts cached input beside the rest, and we within it. */
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

const messageHead = ({ run, asked }: AskedRun) => ({
  id: `msg_${run}`,
  type: 'message',
  role: 'assistant',
  model: asked.served.name,
});

export const wholeMessage = (of: AskedRun, text: string, totals: Totals) => ({
  ...messageHead(of),
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: usageOf(totals),
});

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

export function messageEvents(of: AskedRun): AnswerFrames {
  const [before = '', after = ''] = event('content_block_delta', {
    index: 0,
    delta: { type: 'text_delta', text: '#' },
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
      }) + event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    text: (text) => before + JSON.stringify(text) + after,
    end: (_, totals) =>
      event('content_block_stop', { index: 0 }) +
      event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: usageOf(totals) }) +
      event('message_stop', {}),
    fail: (fault) => `event: error\ndata: ${JSON.stringify(anthropicError(fault))}\n\n`,
    beat: event('ping', {}),
  };
}
