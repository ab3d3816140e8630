// The key `repeat`.

import type { AgentName } from '../../kernel/effect.ts';
import type { KeyProblem, KeySpec } from '../key-form.ts';

export const isCommand = (until: RepeatConfig['until']): until is { readonly command: string } =>
  typeof until === 'object';

export interface RepeatConfig {
  /** The agent that judges each answer, or the command whose exit code does. */
  readonly until: AgentName | { readonly command: string };
  /** The most answers. */
  readonly max: number;
  /** Each answer comes from a new session. */
  readonly fresh: boolean;
  /** The end of a loop whose answers are spent: a failure, or its last answer. */
  readonly atMax: 'fail' | 'last';
}

const noMax = (path: string): KeyProblem => ({
  code: 'repeat/no-max',
  message: `\`${path}\` has no \`max\`, so nothing says how often it may ask again`,
  help: 'Write the largest number of answers, from 1 to 100: max: 4.',
});

export const repeatKey: KeySpec<RepeatConfig> = {
  form: {
    kind: 'keys',
    keys: {
      until: {
        form: {
          kind: 'by-value',
          scalar: { kind: 'agent', role: 'judge' },
          map: {
            kind: 'keys',
            keys: {
              command: {
                form: { kind: 'text' },
                guidance: 'It is good with exit code 0, and runs as shell runs one. It must bear to be run again.',
                required: true,
              },
            },
          },
        },
        guidance: 'The judge of each answer: an agent, or {command: "npm test"}.',
        required: true,
      },
      max: { form: { kind: 'integer', min: 1, max: 100 }, guidance: 'The most answers.' },
      fresh: {
        form: { kind: 'flag' },
        guidance: 'true: each answer comes from a new session. A team always begins anew.',
        fallback: false,
      },
      atMax: {
        form: { kind: 'choice', of: ['fail', 'last'] },
        guidance: 'fail: no answer was good, and none is given; last: the last answer is given, marked as unmet.',
        fallback: 'fail',
      },
    },
    problem: (written, path) => (written.includes('max') ? undefined : noMax(path)),
  },
  guidance:
    'Asks this agent again, with the reason, until a judge finds its answer good: an agent that answers {good, why}, or a command ' +
    'that ends with exit code 0: {until: {command: "npm test"}, max: 5}. Not together with router.',
  example: 'repeat: {until: other-agent, max: 4}',
  hints: { until: 'It belongs to repeat: repeat: {until: critic, max: 4}.' },
  configOf(value) {
    const { until, max, fresh = false, atMax = 'fail' } = value as Partial<RepeatConfig>;
    return until === undefined || max === undefined ? undefined : { until, max, fresh, atMax };
  },
};
