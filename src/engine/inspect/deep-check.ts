// cadre check --deep: what the check of the files alone cannot know. It reads scripts and recordings, looks for variables and
// prices, starts the MCP servers that agents name and loads functions. It calls no model and no tool.

import type { CadreDefinition } from '../../definition/definition.ts';
import { inOrder } from '../../definition/diagnostic.ts';
import type { SignIns } from '../../journal/store.ts';
import type { AgentName } from '../../kernel/effect.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { modelFindings } from './deep-models.ts';
import { toolFindings } from './deep-tools.ts';
import { variableFindings } from './deep-variables.ts';

/** Checks all agents of the cadre, or those that are named. `started`: MCP servers that were started and have been closed. */
export async function deepCheck(
  whole: CadreDefinition,
  {
    signal,
    only,
    signIns,
  }: {
    readonly signal: StopSignal;
    readonly only?: ReadonlySet<AgentName> | undefined;
    /** Those of the store, for servers that want one. */
    readonly signIns?: SignIns | undefined;
  },
) {
  const agents = [...whole.agents].filter(([name]) => only?.has(name) !== false);
  const cadre = { ...whole, agents: new Map(agents) };
  const everyone = new Set([...whole.agents.keys(), ...(whole.faulty?.keys() ?? [])]);
  const [models, tools] = await Promise.all([modelFindings(cadre, everyone), toolFindings(cadre, { signal, signIns })]);
  return {
    diagnostics: inOrder([...variableFindings(cadre), ...models, ...tools.diagnostics]),
    started: tools.started,
  };
}
