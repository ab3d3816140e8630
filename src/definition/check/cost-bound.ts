// The most that calls below an agent can cost: the most calls that the limits allow, times the dearest call that any
// agent below can make. Known only where every model has a price and a context window in cadre.yaml.

import type { AgentName } from '../../kernel/effect.ts';
import type { ModelAlias } from '../../kernel/provider-settings.ts';
import type { AgentDefinition, CadreDefinition } from '../definition.ts';
import { reachableFrom } from '../reach.ts';
import { cadreBounds } from './known-window.ts';

/** Output tokens of a reply where no setting gives a limit. */
const USUAL_OUTPUT = 4096;

type CostBound = { readonly kind: 'known'; readonly usd: number } | { readonly kind: 'unknown'; readonly why: string };

export function costBounds(cadre: CadreDefinition): ReadonlyMap<AgentName, CostBound> {
  return new Map(
    [...cadreBounds(cadre)].map(([name, bound]) => {
      if (bound.kind === 'unbounded') return [name, { kind: 'unknown', why: bound.reason }];
      return [name, worst([...reachableFrom(cadre, name)], bound.attempts, cadre)];
    }),
  );
}

function worst(agents: readonly AgentName[], attempts: bigint, cadre: CadreDefinition): CostBound {
  let dearest = 0;
  for (const name of agents) {
    const agent = cadre.agents.get(name);
    const writer = agent?.compact?.model;
    for (const model of [...(agent?.models ?? []), ...(writer === undefined ? [] : [writer])]) {
      const alias = cadre.config.models[model];
      const cost = agent === undefined || alias === undefined ? undefined : dearestCall(agent, alias);
      if (cost === undefined)
        return { kind: 'unknown', why: `${model} of ${name} has no price and contextWindow in cadre.yaml` };
      dearest = Math.max(dearest, cost);
    }
  }
  return { kind: 'known', usd: Number(attempts) * dearest };
}

function dearestCall(
  agent: AgentDefinition,
  { price, contextWindow, maxOutputTokens }: ModelAlias,
): number | undefined {
  if (price === undefined || contextWindow === undefined) return undefined;
  const output = agent.settings.maxOutputTokens ?? maxOutputTokens ?? USUAL_OUTPUT;
  return (contextWindow * Math.max(price.input, price.cacheWrite ?? 0) + output * price.output) / 1_000_000;
}
