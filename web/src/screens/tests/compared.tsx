// Candidates of a result beside each other: what the figures say, the table, a cell for each case and candidate, the plot of
// quality against cost, and the runs of the chosen cell.

import { useMemo, useState } from 'preact/hooks';
import type { TestInfo } from '../../../../src/server/protocol.ts';
import { cost, duration } from '../../../../src/views/amounts.ts';
import { candidatePairs, pairWords } from '../../../../src/views/tests/candidates.ts';
import type { RecordedCase } from '../../../../src/views/tests/test-record.ts';
import { type Address, hrefOf, runHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { address, go, setQuery } from '../../app/router.ts';
import { Button, copyText, LinkButton } from '../../parts/controls.tsx';
import { Section } from '../../parts/panel.tsx';
import { StateWord } from '../../parts/state.tsx';
import { CandidateTable } from './candidate-table.tsx';
import { Cells } from './cells.tsx';
import {
  ACROSS,
  type Across,
  type CellRow,
  type ComparedCandidate,
  candidatesCsv,
  cellRows,
  comparedCandidates,
} from './comparison.ts';
import { CandidatePlot } from './plot.tsx';
import { CASE_STATES } from './shown.ts';
import './compared.css';

export const ComparedTests = ({ result }: { readonly result: TestInfo }) => {
  const { candidates = [], cases, times = 1 } = result;
  const { query } = address.value;
  const rows = useMemo(() => comparedCandidates(cases, candidates), [result]);
  const cells = useMemo(() => cellRows(cases, candidates), [result]);
  const across = ACROSS.find((one) => one === query['across']) ?? 'usd';
  const { row, column, choose } = useChosenCell(cells, rows.length, query);
  const marked = useCellKeys({ row, column, choose, run: runOf(cells[row]?.cells[column] ?? []) });
  return (
    <div>
      <Words result={result} rows={rows} marked={marked} />
      <div class="compared-parts">
        <div class="scrolls">
          <CandidateTable rows={rows} chosen={column} onChoose={(next) => choose(row, next)} />
          <Cells rows={cells} candidates={rows} row={row} column={column} times={times} onChoose={choose} />
        </div>
        <div>
          <CandidatePlot
            rows={rows}
            across={across}
            times={times}
            chosen={column}
            onAcross={(next: Across) => setQuery({ across: next === 'usd' ? undefined : next })}
            onChoose={(next) => choose(firstFailed(cells, next) ?? row, next)}
          />
          <CellRuns row={cells[row]} column={column} names={rows.map(({ name }) => name)} />
        </div>
      </div>
      <Button size="small" icon="copy" onPress={() => void copyText(candidatesCsv(rows))}>
        Copy as CSV
      </Button>
    </div>
  );
};

interface WordsProps {
  readonly result: TestInfo;
  readonly rows: readonly ComparedCandidate[];
  /** The run that another one is compared with. */
  readonly marked: string | undefined;
}

/** The sentences that the figures come to. */
const Words = ({ result: { state, cases, planned, times = 1 }, rows, marked }: WordsProps) => (
  <div class="compared-foot small-text" role="status">
    {state === 'running' && (
      <p>
        so far, {cases.length} of {planned}
      </p>
    )}
    {candidatePairs(rows).map((pair) => (
      <p key={`${pair.one.model} ${pair.other.kind} ${pair.other.model}`}>{pairWords(pair, true)}</p>
    ))}
    {times === 1 && <p class="faint">no spread from one time</p>}
    {marked !== undefined && <p class="faint">{marked} is marked: C compares another run with it</p>}
  </div>
);

interface ChosenCell {
  readonly row: number;
  readonly column: number;
  choose(row: number, column: number): void;
}

/** The cell of the address, else the first. */
function useChosenCell(cells: readonly CellRow[], columns: number, query: Address['query']): ChosenCell {
  const within = (place: number, count: number): number => Math.max(0, Math.min(count - 1, place));
  return {
    row: Math.max(
      0,
      cells.findIndex(({ key }) => key === query['case']),
    ),
    column: within(Number(query['candidate'] ?? 0) || 0, columns),
    choose: (row, column) =>
      setQuery({ case: cells[within(row, cells.length)]?.key, candidate: String(within(column, columns)) }),
  };
}

/** `run`: the run of the chosen cell. Returns the run that is marked for comparing. */
function useCellKeys({ row, column, choose, run }: ChosenCell & { readonly run: string | undefined }) {
  const [marked, setMarked] = useState<string | undefined>(undefined);
  const compare = (): boolean | undefined => {
    if (run === undefined || marked === undefined || marked === run) return false;
    go(hrefOf({ screen: 'diff', left: marked, right: run }));
    return undefined;
  };
  useKeys(
    useMemo(
      () => [
        { keys: 'ArrowDown|j', does: 'the next case', run: () => choose(row + 1, column) },
        { keys: 'ArrowUp|k', does: 'the case before', run: () => choose(row - 1, column) },
        { keys: 'ArrowRight', does: 'the next candidate', run: () => choose(row, column + 1) },
        { keys: 'ArrowLeft', does: 'the candidate before', run: () => choose(row, column - 1) },
        { keys: 'Enter', does: 'open its run', run: () => (run === undefined ? false : go(runHref(run))) },
        { keys: 'x', does: 'mark its run for comparing', run: () => (run === undefined ? false : setMarked(run)) },
        { keys: 'c', does: 'compare its run with the marked one', run: compare },
      ],
      [row, column, run, marked],
    ),
  );
  return marked;
}

/** The run to look at: the first that failed, else the first that was kept. */
function runOf(cell: readonly RecordedCase[]): string | undefined {
  const kept = cell.filter((one) => one.kept);
  return (kept.find(({ state }) => state === 'failed') ?? kept[0])?.runs.at(-1);
}

function firstFailed(cells: readonly CellRow[], column: number): number | undefined {
  const at = cells.findIndex((row) => row.cells[column]?.some(({ state }) => state === 'failed') === true);
  return at < 0 ? undefined : at;
}

interface CellRunsProps {
  readonly row: CellRow | undefined;
  readonly column: number;
  readonly names: readonly string[];
}

const CellRuns = ({ row, column, names }: CellRunsProps) => {
  if (row === undefined) return null;
  const own = row.cells[column] ?? [];
  const run = runOf(own);
  const passed = own.filter(({ state }) => state === 'passed').length;
  return (
    <>
      <h2 class="sr">The runs of the chosen cell</h2>
      <Section title={row.name} aside={`${names[column]}: ${passed} of ${own.length}`}>
        <ol class="compared-runs small-text" aria-label="Its runs">
          {own.map((one, index) => (
            <OneRun key={index} of={one} />
          ))}
        </ol>
        {run !== undefined && <Ways run={run} others={row.cells.map(runOf)} column={column} names={names} />}
      </Section>
    </>
  );
};

const OneRun = ({ of }: { readonly of: RecordedCase }) => (
  <li class="line gaps ruled">
    <StateWord {...CASE_STATES[of.state]} />
    <span class="grow breaks" dir="auto">
      {of.why ?? of.failures[0]?.what}
    </span>
    {of.ms !== undefined && <span class="num">{duration(of.ms)}</span>}
    {of.spent !== undefined && <span class="num">{cost(of.spent.usd, of.spent.unpriced)}</span>}
    {of.state !== 'skipped' && <RunLink of={of} />}
  </li>
);

interface WaysProps extends Pick<CellRunsProps, 'column' | 'names'> {
  readonly run: string;
  /** The run of the same case, by candidate. */
  readonly others: readonly (string | undefined)[];
}

const Ways = ({ run, others, column, names }: WaysProps) => (
  <div class="line wraps gaps-6 compared-foot">
    <LinkButton href={runHref(run)} keys="Enter">
      Open the run
    </LinkButton>
    {others.map((other, index) =>
      other === undefined || index === column ? null : (
        <LinkButton key={names[index]} href={hrefOf({ screen: 'diff', left: run, right: other })} icon="diff">
          Compare with {names[index]}
        </LinkButton>
      ),
    )}
  </div>
);

const RunLink = ({ of: { kept, runs, time = 1 } }: { readonly of: RecordedCase }) => {
  const run = runs.at(-1);
  if (run === undefined || !kept) return <span class="faint">run not kept, use --keep</span>;
  return (
    <a class="link" href={runHref(run)} aria-label={`the run of time ${time}`}>
      run
    </a>
  );
};
