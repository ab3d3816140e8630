// The requests of OpenAI's chat completions and responses: what each parameter must be, and what becomes of it.

import { z } from 'zod';
import { accepts, honours, refuses, requires } from '../parameters.ts';
import {
  AN_OBJECT,
  COMMON,
  clientTools,
  FlagSchema,
  MODEL_SETTINGS,
  metadataWith,
  NO_TOOLS,
  TextSchema,
  toolChoice,
  typeWords,
} from '../request-parts.ts';
import { ChatMessages, ResponseInput } from './messages.ts';

const TEXT_ONLY = 'agents answer with text.';

const OPENAI = {
  ...COMMON,
  metadata: metadataWith('other keys change nothing'),
  user: accepts('it names no thread: one user has many conversations'),
  safety_identifier: accepts('it goes to no provider'),
  prompt_cache_key: accepts('providers cache by themselves'),
  prompt_cache_retention: accepts('providers cache by themselves'),
  parallel_tool_calls: accepts('it is about tools of the client, which are refused'),
  tools: refuses(NO_TOOLS, []),
  tool_choice: refuses(NO_TOOLS, 'auto', 'none'),
  top_logprobs: refuses('no probabilities are recorded.', 0),
  service_tier: refuses('there is only one.', 'auto', 'default'),
};

const FORCED = 'a single function that must be called is the contract of the answer; any other tool is refused';

const ClientFunction = z.looseObject(
  {
    type: z.unknown().optional(),
    function: z
      .looseObject({ name: z.unknown().optional(), parameters: z.unknown().optional() })
      .optional()
      .catch(undefined),
  },
  { error: AN_OBJECT },
);

const formatWith = <Schema extends z.ZodRawShape>(schema: Schema) =>
  z.discriminatedUnion(
    'type',
    [
      z.looseObject({ type: z.literal('text') }),
      z.looseObject({ type: z.literal('json_object') }),
      z.looseObject({ type: z.literal('json_schema'), ...schema }),
    ],
    { error: typeWords(() => 'must have one of the types: text, json_object, json_schema.') },
  );

export const ChatRequest = z.strictObject({
  ...OPENAI,
  messages: requires('system and developer messages, the history, and the request', ChatMessages),
  tools: clientTools(FORCED, ClientFunction),
  tool_choice: toolChoice(FORCED),
  response_format: honours(
    'the contract that the answer must satisfy',
    formatWith({ json_schema: z.looseObject({ schema: z.unknown().optional() }, { error: AN_OBJECT }).optional() }),
  ),
  stream_options: honours(
    '`include_usage`: the last chunk tells what the whole tree used',
    z.looseObject({ include_usage: FlagSchema.nullish() }, { error: AN_OBJECT }),
  ),
  max_tokens: accepts(MODEL_SETTINGS),
  max_completion_tokens: accepts(MODEL_SETTINGS),
  presence_penalty: accepts(MODEL_SETTINGS),
  frequency_penalty: accepts(MODEL_SETTINGS),
  store: accepts('every run is recorded in its journal'),
  n: refuses('a run has one answer.', 1),
  stop: refuses('an answer ends where its agent ends it.', [], ''),
  seed: refuses('the providers behind an agent promise nothing of the kind.'),
  logprobs: refuses('no probabilities are recorded.', false),
  logit_bias: refuses(MODEL_SETTINGS, {}),
  reasoning_effort: refuses(MODEL_SETTINGS),
  verbosity: refuses(MODEL_SETTINGS, 'medium'),
  modalities: refuses(TEXT_ONLY, ['text']),
  audio: refuses(TEXT_ONLY),
  prediction: refuses('no provider is told what to expect.'),
  web_search_options: refuses(NO_TOOLS),
  functions: refuses(NO_TOOLS, []),
  function_call: refuses(NO_TOOLS, 'auto', 'none'),
});
export type ChatRequest = z.output<typeof ChatRequest>;

export const ResponsesRequest = z.strictObject({
  ...OPENAI,
  input: requires('instructions, the history, and the request', ResponseInput),
  instructions: honours('given to the agent beside its own prompt', TextSchema),
  text: honours(
    '`text.format`: the contract that the answer must satisfy',
    z.looseObject(
      {
        format: formatWith({ schema: z.unknown().optional() }).nullish(),
        verbosity: z.literal([null, 'medium'], { error: `cannot be honoured: ${MODEL_SETTINGS}.` }).optional(),
      },
      { error: AN_OBJECT },
    ),
  ),
  previous_response_id: honours('the request follows the answer of that response, in the same thread', TextSchema),
  conversation: honours(
    'the id of the thread',
    z.union([z.string(), z.looseObject({ id: TextSchema.nullish() })], { error: 'must be a text.' }),
  ),
  stream_options: accepts('nothing is padded'),
  include: refuses('nothing but the answer is sent.', []),
  max_output_tokens: accepts(MODEL_SETTINGS),
  max_tool_calls: accepts('it is about tools of the client, which are refused'),
  store: refuses('every run is recorded in its journal, so it cannot be left out.', true),
  background: refuses('POST /api/runs starts a run that goes on without its client.', false),
  reasoning: refuses(MODEL_SETTINGS, {}),
  truncation: refuses('a conversation that does not fit is refused.', 'disabled'),
  prompt: refuses("the agent's file is the prompt."),
});
export type ResponsesRequest = z.output<typeof ResponsesRequest>;
