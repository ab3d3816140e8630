// A branch: one property of the answer, closed by a schema, decides who runs next, or that the answer stands.
// BRANCH-1. Which case is taken follows from the recorded answer alone.
// BRANCH-2. The values are data: they are compared as text, and are never keys of an object.

import type { AgentName } from '../../kernel/effect.ts';
import { largestOf, NO_COST, sumOf } from '../bounds.ts';
import type { StepKind } from '../chain-step.ts';
import type { HopTarget } from '../hop.ts';
import { checkBranch, resultsOfBranch, standingAfter } from './check.ts';
import { branchContract } from './contract.ts';
import { branchForm, readBranch } from './form.ts';
import { runBranch } from './run.ts';
import type { BranchStep } from './step.ts';

export const branchStep: StepKind<BranchStep> = {
  kind: 'branch',
  sign: 'by',
  form: branchForm,
  stepOf: readBranch,
  edges: (step, label, trigger) =>
    waysOf(step).flatMap(({ name, target }) => {
      const first = { to: target.to, role: 'stage', trigger, label: `${label} ${name}` };
      if (target.else === undefined) return [first];
      return [
        first,
        { ...first, to: target.else, role: 'else', label: `${first.label} else`, isDashed: true as const },
      ];
    }),
  says: ({ by }) => `the branch by \`${by}\``,
  answerers: (step) => [...new Set(waysOf(step).flatMap(({ target }) => agentsOf(target)))],
  results: resultsOfBranch,
  mayStand: ({ cases, otherwise }) => otherwise === null || cases.some(({ end }) => end === null),
  standing: standingAfter,
  seat: () => ({
    kind: 'undefined',
    why: 'ends its chain with a branch, so an answer would decide who is in the team, and a participant gives none',
    help: 'Let one stage follow the branch: next: {sequence: [{by: …}, last]}. That one is in the team then.',
  }),
  bound: (step, { run }) =>
    largestOf(
      waysOf(step).map(({ target }) => sumOf([run(target.to), target.else === undefined ? NO_COST : run(target.else)])),
    ),
  contract: branchContract,
  run: runBranch,
  check: checkBranch,
};

/** The cases that lead to an agent, in the order of the form. */
const waysOf = ({ cases, otherwise }: BranchStep) =>
  [...cases.map(({ value, end }) => ({ name: value, end })), { name: 'otherwise', end: otherwise }].flatMap(
    ({ name, end }) => (end === null || end === undefined ? [] : [{ name, target: end }]),
  );

const agentsOf = ({ to, else: instead }: HopTarget): readonly AgentName[] =>
  instead === undefined ? [to] : [to, instead];
