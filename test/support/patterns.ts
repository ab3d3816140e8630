// Cadre's own patterns on an agent, with a field for each: to write agents by hand, and to compare them.

import type { AdvisorsConfig } from '../../src/patterns/advisors/advisors.ts';
import { advisorsPattern } from '../../src/patterns/advisors/pattern.ts';
import { agentsPattern } from '../../src/patterns/agents/pattern.ts';
import type { ChainConfig } from '../../src/patterns/chain/key.ts';
import { chainConfig, handoffPattern, nextPattern } from '../../src/patterns/chain/pattern.ts';
import { chatPattern } from '../../src/patterns/chat/pattern.ts';
import type { HopTarget } from '../../src/patterns/hop.ts';
import { configOf, type Pattern, type PatternFields, type PatternUse } from '../../src/patterns/record.ts';
import type { RepeatConfig } from '../../src/patterns/repeat/key.ts';
import { repeatPattern } from '../../src/patterns/repeat/pattern.ts';
import type { RouterConfig } from '../../src/patterns/router/handoff-to.ts';
import { routerPattern } from '../../src/patterns/router/pattern.ts';
import type { SpawnConfig } from '../../src/patterns/spawn/key.ts';
import { spawnPattern } from '../../src/patterns/spawn/pattern.ts';
import type { SubagentConfig } from '../../src/patterns/subagent/key.ts';
import { subagentPattern } from '../../src/patterns/subagent/pattern.ts';
import { teamPattern } from '../../src/patterns/team/pattern.ts';
import type { TeamConfig } from '../../src/patterns/team-strategy.ts';

export interface PatternSketch {
  readonly agents?: readonly string[];
  readonly chain?: ChainSketch;
  readonly router?: RouterConfig;
  readonly advisors?: AdvisorsConfig;
  readonly team?: TeamConfig;
  readonly repeat?: RepeatConfig;
  readonly chat?: boolean;
  readonly subagent?: SubagentConfig;
  readonly spawn?: SpawnConfig;
}

/** A chain by its plain stages, or by its steps. */
interface ChainSketch extends Pick<ChainConfig, 'trigger' | 'pass'> {
  readonly stages?: readonly HopTarget[];
  readonly steps?: ChainConfig['steps'];
}

const chainOf = ({ trigger, pass, stages = [], steps }: ChainSketch): ChainConfig => ({
  trigger,
  pass,
  steps: steps ?? stages.map((stage) => ({ kind: 'agent', ...stage })),
});

/** The uses of patterns, in the order of the catalog. */
export function usesOf({ agents, chain, router, advisors, team, repeat, chat, subagent, spawn }: PatternSketch) {
  return [
    use(agentsPattern, agents?.length === 0 ? undefined : agents),
    use(chain?.trigger === 'handoff' ? handoffPattern : nextPattern, chain && chainOf(chain)),
    use(routerPattern, router),
    use(advisorsPattern, advisors),
    use(teamPattern, team),
    use(repeatPattern, repeat),
    use(chatPattern, chat || undefined),
    use(subagentPattern, subagent),
    use(spawnPattern, spawn),
  ].flat();
}

const use = <Config>(pattern: Pattern<Config>, config: Config | undefined): readonly PatternUse[] =>
  config === undefined ? [] : [{ pattern, config } as PatternUse];

/** The patterns of an agent. `agents` is there always, and empty for one that asks nobody. */
export const patternsOf = (agent: PatternFields): PatternSketch & { readonly agents: readonly string[] } => {
  const said = {
    agents: configOf(agent, agentsPattern) ?? [],
    chain: chainConfig(agent),
    router: configOf(agent, routerPattern),
    advisors: configOf(agent, advisorsPattern),
    team: configOf(agent, teamPattern),
    repeat: configOf(agent, repeatPattern),
    chat: configOf(agent, chatPattern),
    subagent: configOf(agent, subagentPattern),
    spawn: configOf(agent, spawnPattern),
  };
  const fields = Object.entries(said).filter(([, one]) => one !== undefined);
  return Object.fromEntries(fields) as unknown as PatternSketch & { readonly agents: readonly string[] };
};
