// The parameters of OpenAI's chat completions and responses, and what becomes of each.

import type { Parameters } from '../parameters.ts';

const SAMPLING = "the agent's file says how its models are asked";
const NO_TOOLS = 'an agent has the tools that its file names, and no others.';
const TEXT_ONLY = 'agents answer with text.';

const accepted = (means: string) => ({ use: 'accepted', means }) as const;
const honoured = (means: string) => ({ use: 'honoured', means }) as const;
const refused = (means: string, ...but: readonly unknown[]) => ({ use: 'refused', means, but }) as const;

const COMMON: Parameters = {
  model: honoured('the name of the agent'),
  stream: honoured('the answer is sent as it is written'),
  metadata: honoured('`metadata.thread` names the thread; other keys change nothing'),
  temperature: accepted(SAMPLING),
  top_p: accepted(SAMPLING),
  user: accepted('it names no thread: one user has many conversations'),
  safety_identifier: accepted('it goes to no provider'),
  prompt_cache_key: accepted('providers cache by themselves'),
  prompt_cache_retention: accepted('providers cache by themselves'),
  parallel_tool_calls: accepted('it is about tools of the client, which are refused'),
  tools: refused(NO_TOOLS, []),
  tool_choice: refused(NO_TOOLS, 'auto', 'none'),
  top_logprobs: refused('no probabilities are recorded.', 0),
  service_tier: refused('there is only one.', 'auto', 'default'),
};

const FORCED = 'a single function that must be called is the contract of the answer; any other tool is refused';

export const CHAT_PARAMETERS: Parameters = {
  ...COMMON,
  tools: honoured(FORCED),
  tool_choice: honoured(FORCED),
  messages: honoured('system and developer messages, the history, and the request'),
  response_format: honoured('the contract that the answer must satisfy'),
  stream_options: honoured('`include_usage`: the last chunk tells what the whole tree used'),
  max_tokens: accepted(SAMPLING),
  max_completion_tokens: accepted(SAMPLING),
  presence_penalty: accepted(SAMPLING),
  frequency_penalty: accepted(SAMPLING),
  store: accepted('every run is recorded in its journal'),
  n: refused('a run has one answer.', 1),
  stop: refused('an answer ends where its agent ends it.', [], ''),
  seed: refused('the providers behind an agent promise nothing of the kind.'),
  logprobs: refused('no probabilities are recorded.', false),
  logit_bias: refused(SAMPLING, {}),
  reasoning_effort: refused(SAMPLING),
  verbosity: refused(SAMPLING, 'medium'),
  modalities: refused(TEXT_ONLY, ['text']),
  audio: refused(TEXT_ONLY),
  prediction: refused('no provider is told what to expect.'),
  web_search_options: refused(NO_TOOLS),
  functions: refused(NO_TOOLS, []),
  function_call: refused(NO_TOOLS, 'auto', 'none'),
};

export const RESPONSES_PARAMETERS: Parameters = {
  ...COMMON,
  input: honoured('instructions, the history, and the request'),
  instructions: honoured('given to the agent beside its own prompt'),
  text: honoured('`text.format`: the contract that the answer must satisfy'),
  previous_response_id: honoured('the request follows the answer of that response, in the same thread'),
  conversation: honoured('the id of the thread'),
  stream_options: accepted('nothing is padded'),
  include: refused('nothing but the answer is sent.', []),
  max_output_tokens: accepted(SAMPLING),
  max_tool_calls: accepted('it is about tools of the client, which are refused'),
  store: refused('every run is recorded in its journal, so it cannot be left out.', true),
  background: refused('POST /api/runs starts a run that goes on without its client.', false),
  reasoning: refused(SAMPLING, {}),
  truncation: refused('a conversation that does not fit is refused.', 'disabled'),
  prompt: refused("the agent's file is the prompt."),
};
