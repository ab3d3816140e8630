// The catalog records of `next` and `handoff`.

import type { AgentName } from '../../kernel/effect.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import { type Cost, type PatternBounds, sumOf } from '../bounds.ts';
import type { StepUpstream } from '../chain-step.ts';
import { ownAnswerers } from '../final-answerers.ts';
import type { KeySpec } from '../key-form.ts';
import { withEqualShares } from '../map/equal-shares.ts';
import type { Review } from '../record.ts';
import { configOf, type Pattern, type PatternFields } from '../record.ts';
import type { KeyPlace } from '../review.ts';
import { triggersOf } from '../trigger-traits.ts';
import { chain } from './chain.ts';
import { type ChainConfig, handoffKey, nextKey } from './key.ts';
import { type ChainStep, stepKind } from './steps.ts';

const chainPattern = (key: ChainConfig['trigger'], keySpec: KeySpec<ChainConfig>): Pattern<ChainConfig> => ({
  key,
  keySpec,
  layer: 'last',
  triggers: triggersOf(key),
  edges: ({ steps }) =>
    steps.flatMap((step, index) => {
      const label = steps.length > 1 ? `${key} ${index + 1}` : key;
      return stepKind(step).edges(step, label, key);
    }),
  answerers: ({ steps }) => answerersOf(steps),
  standing: ({ steps }, schema) => standingIn(steps, schema),
  made({ steps }) {
    const last = steps.at(-1);
    return last && stepKind(last).made?.(last);
  },
  seat({ steps }) {
    const last = steps.at(-1);
    return last && stepKind(last).seat(last);
  },
  check: checkChain,
  bound: boundOfChain,
  wrap: chain,
});

/** Those of the last step, and where that may leave the answer as it is, those of the step before. */
function answerersOf(steps: readonly ChainStep[]): readonly AgentName[] {
  const fixed = steps.findLastIndex((step) => !stepKind(step).mayStand(step));
  return steps.slice(Math.max(fixed, 0)).flatMap((step) => stepKind(step).answerers(step));
}

/** The answers that every step leaves as they are. */
function standingIn(steps: readonly ChainStep[], schema: JsonSchema): JsonSchema | undefined {
  let left: JsonSchema | undefined = schema;
  for (const step of steps) left = left === undefined ? undefined : stepKind(step).standing?.(step, left);
  return left;
}

function boundOfChain({ steps }: ChainConfig, inner: Cost, bounds: PatternBounds): Cost {
  const last = steps.length - 1;
  return sumOf([inner, ...steps.map((step, index) => stepKind(step).bound(step, bounds, index === last))]);
}

export const nextPattern: Pattern<ChainConfig> = {
  ...chainPattern('next', nextKey),
  wrapEvery: withEqualShares,
  excludes: {
    handoff: 'Keep one of them: both hand the answer on. For two stages write next: {sequence: [a, b]}.',
  },
};

export const handoffPattern = chainPattern('handoff', handoffKey);

/** The chain of an agent, whichever key declares it. */
export const chainConfig = (agent: PatternFields): ChainConfig | undefined =>
  configOf(agent, nextPattern) ?? configOf(agent, handoffPattern);

function checkChain(config: ChainConfig | undefined, review: Review): void {
  if (config === undefined) return;
  const left = [...review.edges];
  const { agent, agents } = review;
  let upstreams: readonly StepUpstream[] = [{ agent: agent.name, answerers: ownAnswerers(agent.name, agents) }];
  for (const [index, step] of config.steps.entries()) {
    const kind = stepKind(step);
    const edges = left.splice(0, kind.edges(step, '', config.trigger).length);
    const isLast = index === config.steps.length - 1;
    const at = { review, path: pathOf(config, index), pass: config.pass, isLast, edges, upstreams };
    kind.check(step, at);
    if (!isLast) upstreams = kind.results(step, at);
  }
}

const pathOf = ({ trigger, isSequence }: ChainConfig, index: number): KeyPlace['path'] =>
  isSequence ? [trigger, 'sequence', index] : [trigger];
