// A cell for each case and candidate, with one mark for each time. The arrow keys move between the cells.

import { plural } from '../../../../src/views/amounts.ts';
import type { RecordedCase } from '../../../../src/views/tests/test-record.ts';
import type { CellRow, ComparedCandidate } from './comparison.ts';

interface Props {
  readonly rows: readonly CellRow[];
  readonly candidates: readonly ComparedCandidate[];
  readonly row: number;
  readonly column: number;
  readonly times: number;
  readonly onChoose: (row: number, column: number) => void;
}

const MOST = 500;

export const Cells = ({ rows, candidates, row, column, times, onChoose }: Props) => (
  <table class="tab compared-cells">
    <caption class="faint small-text">
      {plural(rows.length, 'case')}, {times === 1 ? 'once' : `${times} times`} each, the hardest first
    </caption>
    <thead>
      <tr>
        <th>case</th>
        {candidates.map(({ name, kind, model }) => (
          <th key={name} title={name}>
            {kind}
            {model !== undefined && <span class="compared-model">{` ${model}`}</span>}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.slice(0, MOST).map((one, at) => (
        <tr key={one.key}>
          <th scope="row" dir="auto">
            {one.name}
          </th>
          {one.cells.map((cell, index) => (
            <td key={candidates[index]?.name}>
              <Cell
                name={`${one.name}, ${candidates[index]?.name}`}
                of={cell}
                isChosen={at === row && index === column}
                onChoose={() => onChoose(at, index)}
              />
            </td>
          ))}
        </tr>
      ))}
      {rows.length > MOST && (
        <tr>
          <td class="faint">and {rows.length - MOST} more</td>
        </tr>
      )}
    </tbody>
  </table>
);

interface CellProps {
  readonly name: string;
  readonly of: readonly RecordedCase[];
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const Cell = ({ name, of, isChosen, onChoose }: CellProps) => (
  <button
    type="button"
    aria-pressed={isChosen}
    aria-label={`${name}: ${words(of)}`}
    title={of.find(({ why }) => why !== undefined)?.why}
    onClick={onChoose}
  >
    {of.map(({ state, time }, place) => (
      <span key={time ?? place} class={`compared-time ${state}`} />
    ))}
    {of.length === 0 && '–'}
  </button>
);

function words(cell: readonly RecordedCase[]): string {
  if (cell.length === 0) return 'not run yet';
  if (cell.every(({ state }) => state === 'skipped')) return 'left out';
  return `${cell.filter(({ state }) => state === 'passed').length} of ${cell.length} passed`;
}
