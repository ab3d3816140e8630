// The needs of a run, which a worker that takes it has to meet.

import type { CadreDefinition } from '../../definition/definition.ts';
import { CONFIG_FILE } from '../../definition/definition.ts';
import { reachableFrom } from '../../definition/reach.ts';
import type { RunStart } from '../../journal/event.ts';
import type { WorkerNeeds } from '../../journal/store.ts';
import { sourcesUsed } from '../../patterns/record.ts';

/** Tools that leave something behind on the machine that they work on. */
const WRITES = /^(?:files:write|shell)(?=$|[/(])/;

export function needsOf(start: Pick<RunStart, 'agent' | 'texts'>, cadre: CadreDefinition): WorkerNeeds {
  const config = start.texts[CONFIG_FILE];
  const label = labelFor(start.agent, cadre);
  return { ...(config !== undefined && { config }), ...(label !== undefined && { label }) };
}

/** `engine.writeLabel` of cadre.yaml for a run that may write files or start programs, else `engine.label`. */
function labelFor(agent: string, cadre: CadreDefinition): string | undefined {
  const { label, writeLabel } = cadre.config.engine ?? {};
  if (writeLabel === undefined) return label;
  const agents = [...reachableFrom(cadre, agent)].map((name) => cadre.agents.get(name));
  const writes = agents.some((one) => one !== undefined && sourcesUsed(one).some((tool) => WRITES.test(tool)));
  return writes ? writeLabel : label;
}
