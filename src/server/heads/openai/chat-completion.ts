// The objects of a chat completion: the whole one, and the chunks of a stream.

import type { Totals } from '../../../views/totals.ts';
import type { AnswerFrames } from '../answer-stream.ts';
import type { AskedRun } from '../asked-run.ts';
import { openAiError } from './openai-error.ts';
import { chatUsage } from './usage.ts';

const headOf = ({ run, asked, startedAt }: AskedRun, object: string) => ({
  id: `chatcmpl-${run}`,
  object,
  created: Math.floor(startedAt / 1000),
  model: asked.served.name,
});

export const chatCompletion = (of: AskedRun, text: string, totals: Totals) => ({
  ...headOf(of, 'chat.completion'),
  choices: [
    { index: 0, message: { role: 'assistant', content: text, refusal: null }, logprobs: null, finish_reason: 'stop' },
  ],
  usage: chatUsage(totals),
});

export function chatChunks(of: AskedRun, withUsage: boolean): AnswerFrames {
  const head = headOf(of, 'chat.completion.chunk');
  const usage = withUsage ? { usage: null } : {};
  const chunk = (delta: object, finish: string | null): string =>
    data({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...usage });
  // Most of a stream is this chunk. What never changes in it is put together once.
  const [before = '', after = ''] = chunk({ content: '#' }, null).split('"#"');
  return {
    begin: () => chunk({ role: 'assistant', content: '', refusal: null }, null),
    text: (text) => before + JSON.stringify(text) + after,
    end: (_, totals) =>
      chunk({}, 'stop') + (withUsage ? data({ ...head, choices: [], usage: chatUsage(totals) }) : '') + DONE,
    fail: (fault) => data(openAiError(fault)) + DONE,
    beat: COMMENT,
  };
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

const DONE = 'data: [DONE]\n\n';

/** Clients skip it. */
export const COMMENT = ': at work\n\n';
