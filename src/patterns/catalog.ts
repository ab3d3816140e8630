// The patterns, one line each. To add one, write its folder and add its record here. The order is that of the keys in a
// file, and that in which references are followed.

import type { AgentName, TriggerMeaning } from '../kernel/effect.ts';
import { advisorsPattern } from './advisors.ts';
import { handoffPattern, nextPattern } from './chain.ts';
import { chatPattern } from './clarification.ts';
import { agentsPattern } from './delegate.ts';
import { meaningOf } from './meanings.ts';
import type { Declared, Pattern, PatternEdge, Use } from './record.ts';
import { routerPattern } from './router.ts';
import { spawnPattern } from './spawn/pattern.ts';
import { subagentPattern } from './subagent/pattern.ts';
import { teamPattern } from './team/pattern.ts';

export const CATALOG: readonly Pattern[] = [
  agentsPattern,
  nextPattern,
  handoffPattern,
  routerPattern,
  advisorsPattern,
  teamPattern,
  chatPattern,
  subagentPattern,
  spawnPattern,
];

/** What an agent declares, in the order of the catalog, and after that what a program's patterns add. */
export function usesOf(agent: Declared): readonly Use[] {
  const uses: Use[] = [];
  for (const pattern of CATALOG) {
    const config = pattern.configIn?.(agent);
    if (config !== undefined) uses.push({ pattern, config });
  }
  return agent.patterns === undefined ? uses : [...uses, ...agent.patterns];
}

/** An edge with its pattern and the meaning of its trigger. */
export interface UsedEdge extends PatternEdge {
  readonly pattern: Pattern;
  readonly means: TriggerMeaning;
}

export const edgesOf = (agent: Declared & { readonly name: AgentName }): readonly UsedEdge[] =>
  usesOf(agent).flatMap(({ pattern, config }) =>
    pattern.edges(config, agent.name).map((edge) => ({ ...edge, pattern, means: meaningIn(pattern, edge.trigger) })),
  );

const meaningIn = ({ triggers, key }: Pattern, kind: string): TriggerMeaning =>
  triggers[kind] ?? meaningOf({ kind: key });

/** The names of tools that patterns give to sessions. */
export const reservedBy = (patterns: readonly Pattern[]): readonly string[] =>
  patterns.flatMap(({ reserves = [] }) => reserves);
