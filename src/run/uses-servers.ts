// Tells the agents that have tools whose list may change while a run goes on.

import type { AgentDefinition } from '../definition/definition.ts';

/** True if some of its tools come from a server, which may be slow to start and may change its tools later. */
export const usesServers = ({ tools }: AgentDefinition): boolean => tools.some((name) => name.startsWith('mcp:'));
