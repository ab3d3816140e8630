// The form of a branch: {by, to, otherwise, pass}.

import type { HopTarget } from '../hop.ts';
import type { KeysForm, NamedValue, PatternForm } from '../key-form.ts';
import type { BranchPass, BranchStep, CaseEnd } from './step.ts';

const CASE: PatternForm = {
  kind: 'or-none',
  of: {
    kind: 'by-value',
    scalar: { kind: 'agent', role: 'stage' },
    map: {
      kind: 'keys',
      keys: {
        to: { form: { kind: 'agent', role: 'stage' }, guidance: 'The agent that runs on the answer.', required: true },
        else: { form: { kind: 'agent', role: 'else' }, guidance: 'The agent that runs when that one does not answer.' },
      },
      hints: { otherwise: 'Write otherwise beside to, not inside a case: it is the case of all other values.' },
    },
  },
};

export const branchForm: KeysForm = {
  kind: 'keys',
  keys: {
    by: {
      form: { kind: 'text' },
      guidance: 'The property of the answer that decides. output.schema requires it and lists its values.',
      required: true,
    },
    to: {
      form: { kind: 'named', of: CASE, min: 1 },
      guidance: 'For each value: an agent, {to: a, else: b}, or ~: nobody runs and the answer stands.',
      required: true,
    },
    otherwise: { form: CASE, guidance: 'The same, for all values without a case.' },
    pass: {
      form: {
        kind: 'by-value',
        scalar: { kind: 'choice', of: ['answer', 'request+answer'] },
        map: {
          kind: 'keys',
          keys: { field: { form: { kind: 'text' }, guidance: 'A property that is required.', required: true } },
        },
      },
      guidance: 'The text that is handed on: answer (default), request+answer, or {field: body}, one property alone.',
    },
  },
  hints: {
    else: 'Give it to one case, as in to: {bug: {to: a, else: b}}; the case of all other values is otherwise.',
    default: 'The case of all other values is otherwise.',
    cases: 'The cases stand under to: to: {refund: a, bug: b}.',
    each: 'A branch and a map are two steps: next: {sequence: [{each: …}, {by: …}]}.',
    sequence: 'A branch is a step of the sequence: next: {sequence: [a, {by: …}]}.',
  },
};

export function readBranch(written: object): BranchStep {
  const {
    by,
    to,
    otherwise,
    pass = 'answer',
  } = written as {
    readonly by: string;
    readonly to: readonly (NamedValue & { readonly value: string | CaseEnd })[];
    readonly otherwise?: string | CaseEnd;
    readonly pass?: BranchPass;
  };
  return {
    kind: 'branch',
    by,
    cases: to.map(({ name, value }) => ({ value: name, end: endIn(value) })),
    ...(otherwise !== undefined && { otherwise: endIn(otherwise) }),
    pass,
  };
}

const endIn = (written: string | CaseEnd): CaseEnd =>
  typeof written === 'string' ? ({ to: written } satisfies HopTarget) : written;
