// The kinds of steps, one line each. To add one, write its folder and add its record here.

import { branchStep } from '../branch/branch-step.ts';
import type { BranchStep } from '../branch/step.ts';
import type { StepKind } from '../chain-step.ts';
import type { MapStep } from '../map/map.ts';
import { mapStep } from '../map/map-step.ts';
import { type AgentStep, agentStep } from './agent-step.ts';

export type ChainStep = AgentStep | BranchStep | MapStep;

/** The plain one is the last: it has no sign. */
export const STEP_KINDS: readonly StepKind<ChainStep>[] = [branchStep, mapStep, agentStep];

export function stepKind({ kind }: ChainStep): StepKind<ChainStep> {
  const found = STEP_KINDS.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no step is of the kind ${kind}`);
  return found;
}

/** The kind of a step that is written with keys. */
export const kindBySign = (written: Readonly<Record<string, unknown>>): StepKind<ChainStep> =>
  STEP_KINDS.find(({ sign }) => sign === undefined || Object.hasOwn(written, sign)) ?? agentStep;
