// Candidates of a result beside each other: what the figures say, the table, a cell for each case and candidate, the plot of
// quality against cost, and the runs of the chosen cell.

import { useMemo, useState } from 'preact/hooks';
import type { TestInfo } from '../../../../src/server/protocol.ts';
import { cost, duration } from '../../../../src/views/amounts.ts';
import { candidatePairs, pairWords } from '../../../../src/views/tests/candidates.ts';
import type { RecordedCase } from '../../../../src/views/tests/test-record.ts';
import { hrefOf, runHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { address, go, setQuery } from '../../app/router.ts';
import { Button, Command, copyText, LinkButton } from '../../parts/controls.tsx';
import { Section } from '../../parts/panel.tsx';
import { StateWord } from '../../parts/state.tsx';
import { RunAgain } from './again.tsx';
import { CandidateTable } from './candidate-table.tsx';
import { Cells } from './cells.tsx';
import { ACROSS, type Across, type CellRow, candidatesCsv, cellRows, comparedCandidates } from './comparison.ts';
import { CandidatePlot } from './plot.tsx';
import { CASE_STATES } from './shown.ts';
import './compared.css';

export const ComparedTests = ({ result }: { readonly result: TestInfo }) => {
  const { candidates = [], cases, state, planned, times = 1 } = result;
  const { query } = address.value;
  const rows = useMemo(() => comparedCandidates(cases, candidates), [result]);
  const cells = useMemo(() => cellRows(cases, candidates), [result]);
  const across = ACROSS.find((one) => one === query['across']) ?? 'usd';
  const row = Math.max(
    0,
    cells.findIndex(({ key }) => key === query['case']),
  );
  const column = Math.min(rows.length - 1, Math.max(0, Number(query['candidate'] ?? 0) || 0));
  const chosen = cells[row]?.cells[column] ?? [];
  const [marked, setMarked] = useState<string | undefined>(undefined);
  const choose = (toRow: number, toColumn: number): void => {
    const next = cells[Math.max(0, Math.min(cells.length - 1, toRow))];
    setQuery({ case: next?.key, candidate: String(Math.max(0, Math.min(rows.length - 1, toColumn))) });
  };
  const run = runOf(chosen);
  useKeys(
    useMemo(
      () => [
        { keys: 'ArrowDown|j', does: 'the next case', run: () => choose(row + 1, column) },
        { keys: 'ArrowUp|k', does: 'the case before', run: () => choose(row - 1, column) },
        { keys: 'ArrowRight', does: 'the next candidate', run: () => choose(row, column + 1) },
        { keys: 'ArrowLeft', does: 'the candidate before', run: () => choose(row, column - 1) },
        { keys: 'Enter', does: 'open its run', run: () => (run === undefined ? false : go(runHref(run))) },
        { keys: 'x', does: 'mark its run for comparing', run: () => (run === undefined ? false : setMarked(run)) },
        {
          keys: 'c',
          does: 'compare its run with the marked one',
          run: () =>
            run === undefined || marked === undefined || marked === run
              ? false
              : go(hrefOf({ screen: 'diff', left: marked, right: run })),
        },
      ],
      [cells, row, column, run, marked],
    ),
  );
  return (
    <div>
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
      </div>
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
      <div class="line wraps gaps compared-foot">
        <Command line={result.command} />
        <RunAgain result={result} />
        <Button size="small" icon="copy" onPress={() => void copyText(candidatesCsv(rows))}>
          Copy as CSV
        </Button>
        {marked !== undefined && (
          <span class="faint small-text">{marked} is marked: C compares another run with it</span>
        )}
      </div>
    </div>
  );
};

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
  const others = row.cells.flatMap((cell, index) => {
    const other = index === column ? undefined : runOf(cell);
    return other === undefined ? [] : [{ name: names[index] ?? '', run: other }];
  });
  const passed = own.filter(({ state }) => state === 'passed').length;
  return (
    <>
      <h2 class="sr">The runs of the chosen cell</h2>
      <Section title={row.name} aside={`${names[column]}: ${passed} of ${own.length}`}>
        <ol class="compared-runs small-text" aria-label="Its runs">
          {own.map((one, index) => (
            <li key={index} class="line gaps ruled">
              <StateWord {...CASE_STATES[one.state]} />
              <span class="grow breaks" dir="auto">
                {one.why ?? one.failures[0]?.what}
              </span>
              {one.ms !== undefined && <span class="num">{duration(one.ms)}</span>}
              {one.spent !== undefined && <span class="num">{cost(one.spent.usd, one.spent.unpriced)}</span>}
              {one.state !== 'skipped' && <RunLink of={one} />}
            </li>
          ))}
        </ol>
        <div class="line wraps gaps-6 compared-foot">
          {run !== undefined && (
            <LinkButton href={runHref(run)} keys="Enter">
              Open the run
            </LinkButton>
          )}
          {run !== undefined &&
            others.map((other) => (
              <LinkButton key={other.name} href={hrefOf({ screen: 'diff', left: run, right: other.run })} icon="diff">
                Compare with {other.name}
              </LinkButton>
            ))}
        </div>
      </Section>
    </>
  );
};

const RunLink = ({ of: { kept, runs, time = 1 } }: { readonly of: RecordedCase }) => {
  const run = runs.at(-1);
  if (run === undefined || !kept) return <span class="faint">run not kept, use --keep</span>;
  return (
    <a class="link" href={runHref(run)} aria-label={`the run of time ${time}`}>
      run
    </a>
  );
};
