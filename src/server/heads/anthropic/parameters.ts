// The request of Anthropic's messages: what each parameter must be, and what becomes of it.

import { z } from 'zod';
import { accepts, honours, refuses, requires } from '../parameters.ts';
import {
  AN_OBJECT,
  COMMON,
  clientTools,
  MODEL_SETTINGS,
  metadataWith,
  NO_TOOLS,
  toolChoice,
} from '../request-parts.ts';
import { BlockText, MessageList } from './messages.ts';

const FORCED = 'a single tool that must be used is the contract of the answer; any other tool is refused';

const ClientTool = z.looseObject(
  { name: z.unknown().optional(), input_schema: z.unknown().optional() },
  { error: AN_OBJECT },
);

const AnswerFormat = z.looseObject(
  {
    type: z.literal('json_schema', { error: 'must be {"type": "json_schema", "schema": …}.' }),
    schema: z.unknown().optional(),
  },
  { error: AN_OBJECT },
);

export const MessagesRequest = z.strictObject({
  ...COMMON,
  messages: requires('the history and the request', MessageList),
  system: honours('given to the agent beside its own prompt', BlockText),
  output_config: honours(
    '`output_config.format`: the contract that the answer must satisfy',
    z.strictObject({ format: AnswerFormat.nullish() }, { error: outputWords }),
  ),
  output_format: honours('the contract that the answer must satisfy', AnswerFormat),
  metadata: metadataWith('`metadata.user_id` changes nothing'),
  max_tokens: accepts(`the protocol wants it, and ${MODEL_SETTINGS}`),
  top_k: accepts(MODEL_SETTINGS),
  cache_control: accepts('providers cache by themselves'),
  tools: clientTools(FORCED, ClientTool),
  tool_choice: toolChoice(FORCED),
  stop_sequences: refuses('an answer ends where its agent ends it.', []),
  thinking: refuses(MODEL_SETTINGS, { type: 'disabled' }),
  service_tier: refuses('there is only one.', 'auto', 'standard_only'),
  container: refuses(NO_TOOLS),
  context_management: refuses('an agent keeps its own context in order.'),
  mcp_servers: refuses(NO_TOOLS, []),
  inference_geo: refuses("the agent's file names its models."),
});
export type MessagesRequest = z.output<typeof MessagesRequest>;

function outputWords({ code }: { readonly code?: string }): string {
  return code === 'unrecognized_keys' ? `cannot be honoured: ${MODEL_SETTINGS}.` : AN_OBJECT;
}
