// The cases of a result: one row each, and what came of it with each model. A result links to its run.

import { cost, duration } from '../../../../src/views/amounts.ts';
import type { ComparedCase } from '../../../../src/views/tests/compared.ts';
import type { RecordedCase } from '../../../../src/views/tests/test-record.ts';
import { hrefOf, runHref } from '../../app/addresses.ts';
import { address, setQuery } from '../../app/router.ts';
import { StateMark } from '../../parts/state.tsx';
import { CASE_STATES, type Shown } from './shown.ts';

interface Props {
  readonly cases: readonly ComparedCase[];
  readonly models: readonly string[];
  readonly chosen: string | undefined;
  readonly shown: Shown;
}

/** More rows than anybody reads: the filter finds the rest. */
const MOST = 500;

const NONE: Readonly<Record<Shown, string>> = {
  differ: 'Every model passed and failed the same cases.',
  failed: 'No case failed.',
  all: 'No case has a result yet.',
};

export const CaseTable = ({ cases, models, chosen, shown }: Props) => {
  if (cases.length === 0) return <p class="faint sec">{NONE[shown]}</p>;
  const columns = models.length === 0 ? [undefined] : models;
  return (
    <>
      <table class="tab stacks tests-cases">
        <thead class="phone-sr">
          <tr>
            <th>case</th>
            {columns.map((model) => (
              <th key={model ?? ''} class="tests-cell">
                {model ?? 'result'}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cases.slice(0, MOST).map((one) => (
            <Row key={one.key} of={one} columns={columns} isChosen={one.key === chosen} />
          ))}
        </tbody>
      </table>
      {cases.length > MOST && <p class="faint">and {cases.length - MOST} more: the filter finds them</p>}
    </>
  );
};

interface RowProps {
  readonly of: ComparedCase;
  readonly columns: readonly (string | undefined)[];
  readonly isChosen: boolean;
}

const Row = ({ of, columns, isChosen }: RowProps) => (
  <tr
    class={isChosen ? 'choosable chosen' : 'choosable'}
    onClick={(event) => {
      if (!(event.target instanceof Element) || event.target.closest('a') === null) setQuery({ case: of.key });
    }}
  >
    <td class="tests-name cut">
      <a href={caseHref(of)} aria-current={isChosen ? 'true' : undefined}>
        <bdi>{of.name}</bdi>
      </a>
      <span class="faint wide-only">
        {of.agent}{' '}
        <span class="mono">
          {of.file}:{of.line}
        </span>
      </span>
    </td>
    {columns.map((model) => (
      <td key={model ?? ''} class="tests-cell" data-name={model ?? ''}>
        <Cell of={of.results.find((result) => result.model === model)} />
      </td>
    ))}
  </tr>
);

function caseHref({ key }: ComparedCase): string {
  const { place, query } = address.value;
  return hrefOf(place, { query: { ...query, case: key } });
}

const Cell = ({ of }: { readonly of: RecordedCase | undefined }) => {
  if (of === undefined) return <span class="faint">–</span>;
  const { state, ms, spent, runs, kept, why } = of;
  const run = kept ? runs.at(-1) : undefined;
  const facts = [
    ...(ms === undefined ? [] : [duration(ms)]),
    ...(spent === undefined ? [] : [cost(spent.usd, spent.unpriced)]),
  ].join(' · ');
  return (
    <span class="tests-result line gaps-6 num" title={why}>
      <StateMark {...CASE_STATES[state]} />
      {run === undefined ? (
        <span class="faint">{state === 'skipped' ? 'skipped' : facts}</span>
      ) : (
        <a class="link" href={runHref(run)} aria-label={`${state}, ${facts}: open its run`}>
          {facts}
        </a>
      )}
    </span>
  );
};
