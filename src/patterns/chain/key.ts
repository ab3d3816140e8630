// The keys `next` and `handoff`: all their forms come to steps.

import type { AgentName } from '../../kernel/effect.ts';
import type { FolderNames, KeyProblem, KeySpec, KeysForm, PatternForm } from '../key-form.ts';
import { elseKey, stageKey, stageRef } from './agent-step.ts';
import { type ChainStep, kindBySign, STEP_KINDS, stepKind } from './steps.ts';

/** The steps that always follow the agent's own answer, in order. */
export interface ChainConfig {
  readonly trigger: 'next' | 'handoff';
  readonly steps: readonly ChainStep[];
  readonly pass: 'answer' | 'request+answer';
  /** The steps stand in a list. */
  readonly isSequence?: true;
}

const signed = STEP_KINDS.flatMap(({ sign, form }) => (sign === undefined ? [] : [{ sign, form }]));

const STEP: PatternForm = {
  kind: 'by-value',
  scalar: stageRef,
  map: {
    kind: 'by-key',
    signed,
    plain: { kind: 'keys', keys: { to: { ...stageKey, required: true }, else: elseKey } },
  },
};

const nextKeys: KeysForm = {
  kind: 'keys',
  keys: {
    to: stageKey,
    else: elseKey,
    sequence: {
      form: { kind: 'list', of: STEP, min: 1 },
      guidance: 'Run in order, each on the answer of the one before.',
    },
  },
  hints: {
    otherwise: 'It belongs to a branch: next: {by: kind, to: {refund: a}, otherwise: b}.',
    pass: 'It belongs to a branch, or to handoff: handoff: {to: a, pass: request+answer}.',
  },
  problem(written, path) {
    const isSequence = written.includes('sequence');
    const isOne = isSequence !== written.includes('to') && !(isSequence && written.includes('else'));
    return isOne ? undefined : eitherToOrSequence(path);
  },
};

const eitherToOrSequence = (path: string): KeyProblem => ({
  code: 'chain/form',
  message: `\`${path}\` takes either to (with else), or sequence`,
  help: 'Write {to: a, else: b}, or {sequence: [a, {to: b, else: c}]}.',
});

const nextIgnored = (text: string): KeyProblem => ({
  code: 'next/ignored',
  message: `"${text}" never runs: only the first of several entries of \`next\` is used`,
  help: 'To run one after the other, write next: {sequence: [a, b]}.',
});

type WrittenStep = AgentName | Readonly<Record<string, unknown>>;

type WrittenSteps = Readonly<Record<string, unknown>> & {
  readonly pass?: ChainConfig['pass'];
  readonly sequence?: readonly WrittenStep[];
};

/** A step with a sign has its own `pass`. */
const configFor =
  (trigger: ChainConfig['trigger']) =>
  (value: unknown, folder: FolderNames): ChainConfig | undefined => {
    const written = value as AgentName | WrittenSteps;
    if (typeof written === 'string') return { trigger, steps: [stepIn(written)], pass: 'answer' };
    const { sequence, pass = 'answer' } = written;
    const steps = settledSteps((sequence ?? [written]).map(stepIn), folder);
    if (sequence !== undefined) return { trigger, steps, pass: 'answer', isSequence: true };
    return { trigger, steps, pass: steps[0]?.kind === 'agent' ? pass : 'answer' };
  };

/** The steps, each with what the answers before it say of it. */
function settledSteps(steps: readonly ChainStep[], { agent, answerOf }: FolderNames): readonly ChainStep[] {
  let upstreams: readonly AgentName[] = [agent];
  return steps.map((step) => {
    const kind = stepKind(step);
    const settled = kind.settled?.(step, upstreams.map(answerOf)) ?? step;
    upstreams = [...(kind.mayStand(step) ? upstreams : []), ...kind.answerers(step)];
    return settled;
  });
}

const stepIn = (written: WrittenStep): ChainStep =>
  typeof written === 'string' ? { kind: 'agent', to: written } : kindBySign(written).stepOf(written);

export const nextKey: KeySpec<ChainConfig> = {
  form: {
    kind: 'by-value',
    scalar: stageRef,
    list: { kind: 'first', of: stageRef, ignored: nextIgnored },
    map: { kind: 'by-key', signed, plain: nextKeys },
  },
  guidance:
    'The agent that always runs on this one’s answer; nothing can skip it, and its answer is the result. ' +
    'It needs a description, a model, and an input that the answer can satisfy: this agent must answer in the format that it takes, for json with its schema. ' +
    'Also {to: a, else: b}, {sequence: [a, b]}, and a branch by a property of the answer: {by: kind, to: {refund: a, other: ~}, otherwise: b}.',
  example: 'next: other-agent',
  configOf: configFor('next'),
};

export const handoffKey: KeySpec<ChainConfig> = {
  form: {
    kind: 'by-value',
    scalar: stageRef,
    map: {
      kind: 'keys',
      keys: {
        to: { ...stageKey, required: true },
        pass: {
          form: { kind: 'choice', of: ['answer', 'request+answer'] },
          guidance: 'What is handed on.',
          fallback: 'answer',
        },
        else: elseKey,
      },
      hints: {
        by: 'A branch belongs to next: next: {by: kind, to: {refund: a}}.',
        each: 'A map belongs to next: next: {each: sections, to: a, max: 12}.',
        sequence: 'A sequence belongs to next: next: {sequence: [a, b]}.',
      },
    },
  },
  guidance:
    'Hands the answer on, and nothing but its body, to an agent that owns the final answer. Not together with next. ' +
    'Also {to: a, pass: answer | request+answer, else: b}.',
  example: 'handoff: other-agent',
  configOf: configFor('handoff'),
};
