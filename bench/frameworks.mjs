// The frameworks that are measured, in the order of the table. `package` must be installed; Cadre and the floor need
// nothing.

export const FRAMEWORKS = [
  { id: 'floor', kind: 'floor' },
  { id: 'cadre-memory', kind: 'cadre' },
  { id: 'cadre-file', kind: 'cadre' },
  { id: 'pi', kind: 'peer', package: '@mariozechner/pi-agent-core' },
  { id: 'agent-kit', kind: 'peer', package: '@inngest/agent-kit' },
  { id: 'adk', kind: 'peer', package: '@google/adk' },
  { id: 'ai', kind: 'peer', package: 'ai-7' },
  { id: 'openai-agents', kind: 'peer', package: '@openai/agents' },
  { id: 'voltagent', kind: 'peer', package: '@voltagent/core' },
  { id: 'langgraph', kind: 'peer', package: '@langchain/langgraph' },
  { id: 'mastra', kind: 'peer', package: '@mastra/core' },
];

/** `cadre` means both of its stores. */
export const chosen = (only) =>
  FRAMEWORKS.filter(({ id, kind }) => only === undefined || only.includes(id) || only.includes(kind));
