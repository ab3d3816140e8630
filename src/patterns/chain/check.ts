// Goes through the steps of a chain, each with the answers that it may get. Each kind of step has its own rules.

import type { StepUpstream } from '../chain-step.ts';
import { ownAnswerers } from '../final-answerers.ts';
import type { Review } from '../record.ts';
import type { KeyPlace } from '../review.ts';
import type { ChainConfig } from './key.ts';
import { stepKind } from './steps.ts';

export function checkChain(config: ChainConfig | undefined, review: Review): void {
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
