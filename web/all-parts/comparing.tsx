// Sides that are compared: the candidates of tests, and two runs, in each of their states.

import type { ComparedStep } from '../../src/views/compared-steps.ts';
import type { RecordedCase } from '../../src/views/tests/test-record.ts';
import { WholeRun } from '../src/data/recorded-run.ts';
import { StepTable, TwoSides } from '../src/parts/two-sides.tsx';
import { CandidateTable } from '../src/screens/tests/candidate-table.tsx';
import { Cells } from '../src/screens/tests/cells.tsx';
import { cellRows, comparedCandidates } from '../src/screens/tests/comparison.ts';
import { CandidatePlot } from '../src/screens/tests/plot.tsx';
import { PromptField, PromptText } from '../src/screens/what-if/prompt-lines.tsx';
import { nothing, type Specimens } from './specimen.tsx';
import '../src/screens/tests/compared.css';
import '../src/screens/what-if/what-if.css';

const CANDIDATES = [
  { kind: 'team', model: 'large' },
  { kind: 'team', model: 'small' },
  { kind: 'alone', model: 'large' },
  { kind: 'alone', model: 'small' },
] as const;

/** One mark a time: passed, failed, skipped. */
const CASES: Readonly<Record<string, readonly [string, string, string, string]>> = {
  'two requests in one message': ['+++++', '++---', '++++-', '+----'],
  'an order that does not exist': ['+++++', '+++--', '+++++', '++---'],
  'salt water on a sextant': ['+++++', '+++++', '+++++', '++++-'],
  'no agent to lead to': ['+++++', '+++++', 'sssss', 'sssss'],
};

const STATES = { '+': 'passed', '-': 'failed', s: 'skipped' } as const;
const USD = [0.041, 0.0009, 0.017, 0.0004] as const;

const tried = (usd: readonly (number | undefined)[], times: number): readonly RecordedCase[] =>
  Object.entries(CASES).flatMap(([name, marks]) =>
    CANDIDATES.flatMap((candidate, index) =>
      (marks[index] ?? '')
        .split('')
        .slice(0, times)
        .map((mark, at): RecordedCase => {
          const own = usd[index];
          return {
            ...candidate,
            name,
            file: 'desk.test.yaml',
            line: 1,
            agent: 'desk',
            folder: '/desk',
            time: at + 1,
            state: STATES[mark as keyof typeof STATES],
            failures: [],
            asked: [],
            called: [],
            ms: 1000 + 400 * index + 50 * at,
            spent: {
              ...(own !== undefined && { usd: own * (1 + at / 20) }),
              unpriced: own === undefined ? 1 : 0,
              calls: 3,
              input: 3000 - 600 * index,
              output: 200,
              cacheRead: 0,
              cacheWrite: 0,
              reasoning: 0,
            },
            runs: ['r1'],
            kept: true,
          };
        }),
    ),
  );

const plot = (cases: readonly RecordedCase[], times: number) => (
  <div>
    <CandidatePlot
      rows={comparedCandidates(cases, CANDIDATES)}
      across="usd"
      times={times}
      chosen={1}
      onAcross={nothing}
      onChoose={nothing}
    />
  </div>
);

const STEPS: readonly ComparedStep[] = [
  { path: '0.1', what: 'model call of desk, turn 1', left: 209, right: 212, fate: 'same' },
  { path: '0.2', what: 'run of writer (next)', left: 912, right: 1100, fate: 'around' },
  { path: '0.2.1', what: 'model call of writer, turn 1', left: 211, right: 383, fate: 'other answer' },
  { path: '0.2.2', what: 'model call of writer, turn 2', left: 209, fate: 'only left' },
];

const WAS = 'Write at length.\nSay who is asked.';
const IS = 'Write at length, and name the year of the flood in the first sentence, not in the last.\nSay who is asked.';

const FIVE = tried(USD, 5);

export const COMPARING: Specimens = {
  id: 'comparing',
  title: 'What is compared',
  width: 'wide',
  of: {
    'the candidates': (
      <div class="scrolls" tabIndex={0} role="region" aria-label="The candidates">
        <CandidateTable rows={comparedCandidates(FIVE, CANDIDATES)} chosen={1} onChoose={nothing} />
      </div>
    ),
    'the cells': (
      <div class="scrolls" tabIndex={0} role="region" aria-label="The cells">
        <Cells
          rows={cellRows(FIVE, CANDIDATES)}
          candidates={comparedCandidates(FIVE, CANDIDATES)}
          row={0}
          column={2}
          times={5}
          onChoose={nothing}
        />
      </div>
    ),
    'the plot': plot(FIVE, 5),
    'the plot: once, and a price that is not known': plot(tried([0.041, 0.0009, undefined, 0.0004], 1), 1),
    'the plot: nothing ran yet': plot([], 5),
    'the steps of two runs': (
      <StepTable
        left={new WholeRun([], 'ended')}
        right={new WholeRun([], 'ended')}
        steps={STEPS}
        names={['as it was', 'what if']}
        caption="Steps from the fork on"
      />
    ),
    'a prompt as it was, and as it is written anew': (
      <TwoSides paper>
        <section aria-label="As it was">
          <PromptText label="The prompt as it was" text={WAS} other={IS} look="removed" />
        </section>
        <section aria-label="Written anew">
          <PromptField label="The prompt for this fork" text={IS} other={WAS} look="added" onInput={nothing} />
        </section>
      </TwoSides>
    ),
  },
};
