// The keys `next` and `handoff`: all their forms come to stages, each with who runs and who runs if that one does not
// answer. A further kind of stage is a form in STAGE and in `next`, and a case in `stageIn`.

import type { AgentName } from '../../kernel/effect.ts';
import type { AgentForm, KeyProblem, KeySpec, KeysForm, PatternForm, PatternKey } from '../key-form.ts';

export interface ChainStage {
  readonly to: AgentName;
  /** The agent that runs when `to` does not answer. */
  readonly else?: AgentName;
}

/** The stages that always follow the agent's own answer, in order. */
export interface ChainConfig {
  readonly trigger: 'next' | 'handoff';
  readonly stages: readonly ChainStage[];
  readonly pass: 'answer' | 'request+answer';
}

const stageRef: AgentForm = { kind: 'agent', role: 'stage', shownAs: '' };

const to: PatternKey = { form: stageRef, guidance: 'Who runs on the answer.' };
const orElse: PatternKey = {
  form: { kind: 'agent', role: 'else', shownAs: 'else' },
  guidance: 'Who runs when that one does not answer.',
};

const STAGE: PatternForm = {
  kind: 'by-value',
  scalar: stageRef,
  map: { kind: 'keys', keys: { to: { ...to, required: true }, else: orElse } },
};

const nextKeys: KeysForm = {
  kind: 'keys',
  keys: {
    to,
    else: orElse,
    sequence: {
      form: { kind: 'list', of: STAGE, min: 1 },
      guidance: 'Run in order, each on the answer of the one before.',
    },
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

/** A value of either key, with agents as names. */
type WrittenChain = AgentName | readonly AgentName[] | WrittenStages;

interface WrittenStages {
  readonly to?: AgentName;
  readonly else?: AgentName;
  readonly pass?: ChainConfig['pass'];
  readonly sequence?: readonly (AgentName | ChainStage)[];
}

const configFor =
  (trigger: ChainConfig['trigger']) =>
  (value: unknown): ChainConfig | undefined => {
    const written = value as WrittenChain;
    const stages = stagesIn(written);
    const pass = typeof written === 'object' && 'pass' in written ? written.pass : undefined;
    return stages.length === 0 ? undefined : { trigger, stages, pass: pass ?? 'answer' };
  };

function stagesIn(written: WrittenChain): readonly ChainStage[] {
  if (typeof written === 'string') return [{ to: written }];
  if (isList(written)) return written.map(stageIn);
  const { to: only, else: instead, sequence } = written;
  if (only === undefined) return (sequence ?? []).map(stageIn);
  return [instead === undefined ? { to: only } : { to: only, else: instead }];
}

const isList = (written: WrittenChain): written is readonly AgentName[] => Array.isArray(written);

const stageIn = (written: AgentName | ChainStage): ChainStage =>
  typeof written === 'string' ? { to: written } : written;

export const nextKey: KeySpec<ChainConfig> = {
  form: {
    kind: 'by-value',
    scalar: stageRef,
    list: { kind: 'first', of: stageRef, ignored: nextIgnored },
    map: nextKeys,
  },
  guidance:
    'The agent that always runs on this one’s answer; nothing can skip it, and its answer is the result. ' +
    'It needs a description, a model, and an input that the answer can satisfy: this agent must answer in the format that it takes, for json with its schema. ' +
    'Also {to: a, else: b} and {sequence: [a, b]}.',
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
        to: { ...to, required: true },
        pass: {
          form: { kind: 'choice', of: ['answer', 'request+answer'] },
          guidance: 'What is handed on.',
          fallback: 'answer',
        },
        else: orElse,
      },
    },
  },
  guidance:
    'Hands the answer on, and nothing but its body, to an agent that owns the final answer. Not together with next. ' +
    'Also {to: a, pass: answer | request+answer, else: b}.',
  example: 'handoff: other-agent',
  configOf: configFor('handoff'),
};
