// Tells the agents that have tools whose list may change while a run goes on.

import type { AgentDefinition } from '../definition/definition.ts';

/** True if some of its tools come from a server, which may be slow to start and may change its tools later. */
export function usesServers({ tools }: AgentDefinition): boolean {
  const known = answers.get(tools);
  if (known !== undefined) return known;
  const found = tools.some((name) => name.startsWith('mcp:'));
  answers.set(tools, found);
  return found;
}

/** Found out once for the tools of a file: every call of a tool asks. */
const answers = new WeakMap<readonly string[], boolean>();
