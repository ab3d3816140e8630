// The parameters of Anthropic's messages, and what becomes of each.

import type { Parameters } from '../parameters.ts';

const SAMPLING = "the agent's file says how its models are asked";
const NO_TOOLS = 'an agent has the tools that its file names, and no others.';

const FORCED = 'a single tool that must be used is the contract of the answer; any other tool is refused';

const accepted = (means: string) => ({ use: 'accepted', means }) as const;
const honoured = (means: string) => ({ use: 'honoured', means }) as const;
const refused = (means: string, ...but: readonly unknown[]) => ({ use: 'refused', means, but }) as const;

export const MESSAGES_PARAMETERS: Parameters = {
  model: honoured('the name of the agent'),
  messages: honoured('the history and the request'),
  system: honoured('given to the agent beside its own prompt'),
  stream: honoured('the answer is sent as it is written'),
  output_config: honoured('`output_config.format`: the contract that the answer must satisfy'),
  output_format: honoured('the contract that the answer must satisfy'),
  metadata: honoured('`metadata.thread` names the thread; `metadata.user_id` changes nothing'),
  max_tokens: accepted(`the protocol wants it, and ${SAMPLING}`),
  temperature: accepted(SAMPLING),
  top_p: accepted(SAMPLING),
  top_k: accepted(SAMPLING),
  cache_control: accepted('providers cache by themselves'),
  tools: honoured(FORCED),
  tool_choice: honoured(FORCED),
  stop_sequences: refused('an answer ends where its agent ends it.', []),
  thinking: refused(SAMPLING, { type: 'disabled' }),
  service_tier: refused('there is only one.', 'auto', 'standard_only'),
  container: refused(NO_TOOLS),
  context_management: refused('an agent keeps its own context in order.'),
  mcp_servers: refused(NO_TOOLS, []),
  inference_geo: refused("the agent's file names its models."),
};
