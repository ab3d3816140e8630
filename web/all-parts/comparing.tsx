// A team beside one agent: the table of candidates, the cells of the cases, and the plot, in each of their states.

import type { RecordedCase } from '../../src/views/tests/test-record.ts';
import { CandidateTable } from '../src/screens/tests/candidate-table.tsx';
import { Cells } from '../src/screens/tests/cells.tsx';
import { cellRows, comparedCandidates } from '../src/screens/tests/comparison.ts';
import { CandidatePlot } from '../src/screens/tests/plot.tsx';
import { nothing, type Specimens } from './specimen.tsx';
import '../src/screens/tests/compared.css';

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
  },
};
