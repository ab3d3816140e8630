// The models side by side: the cases that each passed, its cost and its time.

import { cost, duration, tokens } from '../../../../src/views/amounts.ts';
import { type ModelColumn, modelColumns } from '../../../../src/views/tests/compared.ts';
import type { RecordedCase } from '../../../../src/views/tests/test-record.ts';

interface Props {
  readonly cases: readonly RecordedCase[];
  readonly models: readonly string[];
}

const share = (part: number, whole: number): string => `${whole === 0 ? 0 : Math.round((part / whole) * 100)}%`;

export const ModelTable = ({ cases, models }: Props) => {
  const columns = modelColumns(cases, models);
  const isJudged = columns.some(({ judgedGood }) => judgedGood !== undefined);
  return (
    <table class="tab stacks">
      <caption class="sr">{models.length > 1 ? 'Models side by side' : 'All cases'}</caption>
      <thead class="phone-sr">
        <tr>
          <th>{models.length === 0 ? 'models' : 'model'}</th>
          <th class="tests-share">
            <span class="sr">share that passed</span>
          </th>
          <th class="num">passed</th>
          {isJudged && <th class="num">judged good</th>}
          <th class="num">cost</th>
          {isJudged && <th class="num">judges</th>}
          <th class="num">tokens</th>
          <th class="num">calls</th>
          <th class="num">time, median</th>
          <th class="num">time, all</th>
        </tr>
      </thead>
      <tbody>
        {columns.map((column) => (
          <Row key={column.model ?? ''} column={column} isJudged={isJudged} />
        ))}
      </tbody>
    </table>
  );
};

const Row = ({ column, isJudged }: { readonly column: ModelColumn; readonly isJudged: boolean }) => {
  const { model, counts, spent, judges, medianMs, totalMs, judgedGood } = column;
  const ran = counts.passed + counts.failed;
  return (
    <tr>
      <th scope="row">{model ?? "the agents' own"}</th>
      <td class="tests-share" aria-hidden="true">
        <div class={ran === 0 ? 'share-bar' : 'share-bar tests-bar'}>
          <i class="s-good" style={{ width: share(counts.passed, ran) }} />
        </div>
      </td>
      <td class="num" data-name="passed">
        {counts.passed} of {ran}
        {counts.skipped > 0 && <span class="faint">, {counts.skipped} skipped</span>}
      </td>
      {isJudged && (
        <td class="num" data-name="judged good">
          {judgedGood === undefined ? '–' : `${Math.round(judgedGood * 100)} %`}
        </td>
      )}
      <td class="num" data-name="cost">
        {ran === 0 ? '–' : cost(spent.usd, spent.unpriced)}
      </td>
      {isJudged && (
        <td class="num" data-name="judges">
          {judges.calls === 0 ? '–' : cost(judges.usd, judges.unpriced)}
        </td>
      )}
      <td class="num" data-name="tokens">
        {ran === 0 ? '–' : tokens(spent.input + spent.output)}
      </td>
      <td class="num" data-name="calls">
        {ran === 0 ? '–' : spent.calls}
      </td>
      <td class="num" data-name="time, median">
        {medianMs === undefined ? '–' : duration(medianMs)}
      </td>
      <td class="num" data-name="time, all">
        {medianMs === undefined ? '–' : duration(totalMs)}
      </td>
    </tr>
  );
};
