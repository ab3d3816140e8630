// The stages of a run: where it may be ended early. They follow from the files, so a wrong name is refused at the start.

import { nearest } from '../base/text/nearest.ts';
import type { CadreDefinition } from '../definition/definition.ts';
import type { AgentName } from '../kernel/effect.ts';
import { fail } from '../kernel/fault.ts';
import { edgesOf } from '../patterns/record.ts';
import { agentIn, agentNamed } from './request.ts';

const CHAINS: ReadonlySet<string> = new Set(['next', 'handoff']);

/** The agents of the chains that a run of this agent goes through, in their order. */
function stagesOf(cadre: CadreDefinition, first: AgentName): readonly AgentName[] {
  const stages = new Set<AgentName>();
  const seen = new Set<AgentName>();
  const visit = (name: AgentName): void => {
    const agent = cadre.agents.get(name);
    if (agent === undefined || seen.has(name)) return;
    seen.add(name);
    for (const { to, pattern, means } of edgesOf(agent)) {
      if (!(means.isHop && means.answers)) continue;
      if (CHAINS.has(pattern.key)) stages.add(name).add(to);
      visit(to);
    }
  };
  visit(first);
  return [...stages];
}

/** The stage that a caller names after which a run of `agent` is to end. Throws if the run has no such stage. */
export function stageNamed(cadre: CadreDefinition, agent: AgentName, asked: string): AgentName {
  const { name } = agentIn(cadre, asked);
  const stages = stagesOf(cadre, agent);
  if (stages.includes(name)) return name;
  const what = `stopAfter (--stop-after): a run of ${agent} has no stage ${JSON.stringify(name)}`;
  if (stages.length === 0) fail('usage', `${what}: no chain (next, handoff) begins there. Leave it out.`);
  const near = nearest(name, stages);
  const meant = near === undefined ? '' : ` Did you mean "${near}"?`;
  return fail('usage', `${what}. Its stages: ${stages.join(', ')}.${meant} Name one of them, or leave it out.`);
}

/** The same, for a caller who may not know which others there are. */
export const isStage = (cadre: CadreDefinition, agent: AgentName, asked: string): boolean =>
  stagesOf(cadre, agent).includes(agentNamed(cadre, asked)?.name ?? '');
