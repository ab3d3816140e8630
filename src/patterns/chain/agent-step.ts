// The plain step of a chain: one agent runs, and another one if that does not answer.

import type { AgentName } from '../../kernel/effect.ts';
import { NO_COST, sumOf } from '../bounds.ts';
import type { StepKind } from '../chain-step.ts';
import { contractFor, type HopTarget, runHop } from '../hop.ts';
import { answersOf } from '../hop-check.ts';
import type { AgentForm, PatternKey } from '../key-form.ts';
import { checkAgentStep } from './agent-check.ts';

export interface AgentStep extends HopTarget {
  readonly kind: 'agent';
}

export const stageRef: AgentForm = { kind: 'agent', role: 'stage', shownAs: '' };

export const stageKey: PatternKey = { form: stageRef, guidance: 'The agent that runs on the answer.' };

export const elseKey: PatternKey = {
  form: { kind: 'agent', role: 'else', shownAs: 'else' },
  guidance: 'The agent that runs when that one does not answer.',
};

export const agentStep: StepKind<AgentStep> = {
  kind: 'agent',
  form: { kind: 'keys', keys: { to: { ...stageKey, required: true }, else: elseKey } },
  stepOf(written) {
    const { to: first, else: instead } = written as unknown as HopTarget;
    return { kind: 'agent', to: first, ...(instead !== undefined && { else: instead }) };
  },
  edges(step, label, trigger) {
    const first = { to: step.to, role: 'stage', trigger, label };
    if (step.else === undefined) return [first];
    return [first, { ...first, to: step.else, role: 'else', label: `${label} else`, isDashed: true as const }];
  },
  says: (step) => step.to,
  answerers: targetsOf,
  results: (step, { review }) => answersOf(targetsOf(step), review),
  mayStand: () => false,
  seat: ({ to: seated, else: instead }) => ({
    kind: 'passed',
    to: seated,
    ...(instead !== undefined && { else: instead }),
  }),
  bound: (step, { run, end }, isLast) =>
    sumOf([isLast ? end(step.to) : run(step.to), step.else === undefined ? NO_COST : run(step.else)]),
  contract: (step, _own, context) => contractFor(step.to, context),
  run: runHop,
  check: checkAgentStep,
};

function targetsOf(step: HopTarget): readonly AgentName[] {
  return step.else === undefined ? [step.to] : [step.to, step.else];
}
