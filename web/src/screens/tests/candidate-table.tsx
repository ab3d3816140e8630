// The candidates of a comparison, one row each: what passed, and the cost, time and tokens of a case.

import { type ComparedCandidate, spreadWords } from './comparison.ts';

interface Props {
  readonly rows: readonly ComparedCandidate[];
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
}

export const CandidateTable = ({ rows, chosen, onChoose }: Props) => {
  const cases = new Set(rows.map((row) => row.cases));
  const isJudged = rows.some(({ judgedGood }) => judgedGood !== undefined);
  return (
    <table class="tab compared-candidates">
      <caption class="sr">Candidates</caption>
      <thead>
        <tr>
          <th>candidate</th>
          <th class="num">passed</th>
          <th class="num">each time{cases.size === 1 && `, of ${[...cases][0]}`}</th>
          {isJudged && <th class="num">judged good</th>}
          <th class="num">cost a case</th>
          <th class="num">time, median</th>
          <th class="num">tokens</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr
            key={row.name}
            class={index === chosen ? 'choosable chosen' : 'choosable'}
            onClick={() => onChoose(index)}
          >
            <th scope="row">
              <span class={`compared-mark of-${row.kind}`} aria-hidden="true" />
              {row.name}
            </th>
            <td class="num">
              <b>{row.passed}</b> of {row.of}
            </td>
            <td class="num">{row.eachTime === undefined ? '–' : `${row.eachTime[0]} to ${row.eachTime[1]}`}</td>
            {isJudged && (
              <td class="num">{row.judgedGood === undefined ? '–' : `${Math.round(row.judgedGood * 100)} %`}</td>
            )}
            <td class="num">{row.spent.unpriced > 0 ? 'price unknown' : spreadWords('usd', row.usd)}</td>
            <td class="num">{spreadWords('ms', row.ms)}</td>
            <td class="num">{spreadWords('tokens', row.tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
