// The catalog records of `next` and `handoff`.

import type { AgentName } from '../../kernel/effect.ts';
import { type Cost, NO_COST, type PatternBounds, sumOf } from '../bounds.ts';
import type { KeySpec } from '../key-form.ts';
import { configOf, type Pattern, type PatternFields, type PatternSeat } from '../record.ts';
import { triggersOf } from '../trigger-traits.ts';
import { chain } from './chain.ts';
import { checkChain } from './check.ts';
import { type ChainConfig, type ChainStage, handoffKey, nextKey } from './key.ts';

const chainPattern = (key: ChainConfig['trigger'], keySpec: KeySpec<ChainConfig>): Pattern<ChainConfig> => ({
  key,
  keySpec,
  layer: 'last',
  triggers: triggersOf(key),
  edges: ({ stages }) =>
    stages.flatMap((stage, index) => {
      const label = stages.length > 1 ? `${key} ${index + 1}` : key;
      const first = { to: stage.to, role: 'stage', trigger: key, label };
      if (stage.else === undefined) return [first];
      return [first, { ...first, to: stage.else, role: 'else', label: `${label} else`, isDashed: true as const }];
    }),
  answerers: ({ stages }) => agentsOf(stages.at(-1)),
  seat: ({ stages }) => seatAt(stages.at(-1)),
  check: checkChain,
  bound: boundOfChain,
  wrap: chain,
});

const agentsOf = (stage: ChainStage | undefined): readonly AgentName[] =>
  stage === undefined ? [] : [stage.to, ...(stage.else === undefined ? [] : [stage.else])];

const seatAt = (last: ChainStage | undefined): PatternSeat | undefined => last && { kind: 'passed', ...last };

function boundOfChain({ stages }: ChainConfig, inner: Cost, { run, end }: PatternBounds): Cost {
  const last = stages.length - 1;
  const costs = stages.flatMap((stage, index) => [
    index === last ? end(stage.to) : run(stage.to),
    stage.else === undefined ? NO_COST : run(stage.else),
  ]);
  return sumOf([inner, ...costs]);
}

export const nextPattern: Pattern<ChainConfig> = {
  ...chainPattern('next', nextKey),
  excludes: {
    handoff: 'Keep one of them: both hand the answer on. For two stages write next: {sequence: [a, b]}.',
  },
};

export const handoffPattern = chainPattern('handoff', handoffKey);

/** The chain of an agent, whichever key declares it. */
export const chainConfig = (agent: PatternFields): ChainConfig | undefined =>
  configOf(agent, nextPattern) ?? configOf(agent, handoffPattern);
