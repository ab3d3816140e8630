// The objects of a chat completion: the whole one, and the chunks of a stream.

import type { Totals } from '../../../views/costs/totals.ts';
import type { ForcedTool } from '../answer-contract.ts';
import type { AnswerFrames } from '../answer-stream.ts';
import type { HeadRun } from '../head-run.ts';
import { openAiError } from './openai-error.ts';

/** The usage of a run's whole tree. */
const chatUsage = ({ input, output, cacheRead, reasoning }: Totals) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cacheRead },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

const headOf = ({ run, asked, startedAt }: HeadRun, object: string) => ({
  id: `chatcmpl-${run}`,
  object,
  created: Math.floor(startedAt / 1000),
  model: asked.served.name,
});

/** The completion of an answer. If a tool had to be called, the answer is the arguments of its call. */
export function chatCompletion(of: HeadRun, text: string, totals: Totals, tool?: ForcedTool): object {
  const said = tool === undefined ? { content: text } : { content: null, tool_calls: [callOf(of, tool, text)] };
  const message = { role: 'assistant', ...said, refusal: null };
  return {
    ...headOf(of, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(tool) }],
    usage: chatUsage(totals),
  };
}

const callOf = ({ run }: HeadRun, { name }: ForcedTool, text: string) => ({
  id: `call_${run}`,
  type: 'function',
  function: { name, arguments: text },
});

const finishOf = (tool: ForcedTool | undefined): string => (tool === undefined ? 'stop' : 'tool_calls');

export function chatChunks(of: HeadRun, withUsage: boolean, tool?: ForcedTool): AnswerFrames {
  const head = headOf(of, 'chat.completion.chunk');
  const usage = withUsage ? { usage: null } : {};
  const chunk = (delta: object, finish: string | null): string =>
    data({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...usage });
  // Most of a stream is this chunk. What never changes in it is put together once.
  const [before = '', after = ''] = chunk({ content: '#' }, null).split('"#"');
  return {
    begin: () => chunk({ role: 'assistant', content: '', refusal: null }, null),
    text: (text) =>
      tool === undefined
        ? before + JSON.stringify(text) + after
        : chunk({ tool_calls: [{ index: 0, ...callOf(of, tool, text) }] }, null),
    end: (_, totals) =>
      chunk({}, finishOf(tool)) + (withUsage ? data({ ...head, choices: [], usage: chatUsage(totals) }) : '') + DONE,
    fail: (fault) => data(openAiError(fault)) + DONE,
    beat: COMMENT,
  };
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

const DONE = 'data: [DONE]\n\n';

/** Clients skip it. */
export const COMMENT = ': at work\n\n';
