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
        {candidates.map(({ name }) => (
          <th key={name}>{name}</th>
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
              <button
                type="button"
                aria-pressed={at === row && index === column}
                aria-label={`${one.name}, ${candidates[index]?.name}: ${words(cell)}`}
                title={cell.find(({ why }) => why !== undefined)?.why}
                onClick={() => onChoose(at, index)}
              >
                {cell.map(({ state, time }, place) => (
                  <span key={time ?? place} class={`compared-time ${state}`} />
                ))}
                {cell.length === 0 && '–'}
              </button>
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

function words(cell: readonly RecordedCase[]): string {
  if (cell.length === 0) return 'not run yet';
  if (cell.every(({ state }) => state === 'skipped')) return 'left out';
  return `${cell.filter(({ state }) => state === 'passed').length} of ${cell.length} passed`;
}
