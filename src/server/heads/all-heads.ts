// Every head, in the order in which their addresses are looked at: the narrower ones first.

import type { Head } from '../context.ts';
import { a2aHead } from './a2a/a2a-head.ts';
import { AnsweredRuns } from './answered-runs.ts';
import { anthropicHead } from './anthropic/anthropic-head.ts';
import { mcpHead } from './mcp/mcp-head.ts';
import { openAiHead } from './openai/openai-head.ts';

/** `secret` signs what clients bring back; it is the same after a restart. */
export function allHeads(secret: string | undefined): readonly Head[] {
  const answered = new AnsweredRuns();
  return [anthropicHead(answered), openAiHead(answered), mcpHead(answered, secret), a2aHead(answered)];
}
