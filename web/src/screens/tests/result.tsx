// One result of `cadre test`: models side by side, the cases, and what came of the chosen case with each model.

import { useMemo } from 'preact/hooks';
import type { TestInfo } from '../../../../src/server/protocol.ts';
import { duration } from '../../../../src/views/amounts.ts';
import { againCommand } from '../../../../src/views/tests/again.ts';
import { type ComparedCase, comparedCases } from '../../../../src/views/tests/compared.ts';
import { type Address, runHref } from '../../app/addresses.ts';
import { useCommands } from '../../app/commands.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { go, setQuery } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { useTest } from '../../data/tests.ts';
import { Choices, copyText, FilterField, LinkButton } from '../../parts/controls.tsx';
import { later } from '../../parts/later.tsx';
import { LoadingScreen } from '../../parts/loading.tsx';
import { Banner, Empty } from '../../parts/panel.tsx';
import { CaseDetail } from './case-detail.tsx';
import { CaseTable } from './case-table.tsx';
import { isComparison } from './comparison.ts';
import { Head } from './head.tsx';
import { ModelTable } from './model-table.tsx';
import { firstShown, isFound, isShown, SHOWN, SHOWN_NAMES, type Shown, titleOfTests } from './shown.ts';
import './tests.css';

const ComparedTests = later('tab', () => import('./compared.tsx').then((one) => one.ComparedTests));

interface Props {
  readonly test: string;
  readonly address: Address;
}

export const TestScreen = ({ test, address }: Props) => {
  const loaded = useTest(test);
  useTitle(loaded.kind === 'ready' ? titleOfTests(loaded.value) : 'Tests');
  switch (loaded.kind) {
    case 'loading':
      return <LoadingScreen rows={12} />;
    case 'refused':
      return (
        <Empty title="This result cannot be read" actions={<LinkButton href="/tests">To the results</LinkButton>}>
          <p>{loaded.problem.message}</p>
        </Empty>
      );
    case 'ready':
      return isComparison(loaded.value) ? (
        <Comparison result={loaded.value} />
      ) : (
        <TestResult result={loaded.value} address={address} />
      );
  }
};

const Comparison = ({ result }: { readonly result: TestInfo }) => (
  <div class="pane">
    <Head result={result} />
    <Banners result={result} />
    <div class="panel-body paper">
      <ComparedTests result={result} />
    </div>
  </div>
);

export const TestResult = ({ result, address }: { readonly result: TestInfo; readonly address: Address }) => {
  const { models } = result;
  const { query } = address;
  const all = useMemo(() => comparedCases(result.cases, models), [result]);
  const shown = SHOWN.find((one) => one === query['show']) ?? firstShown(all);
  const found = all.filter((one) => isShown(one, shown) && isFound(one, query['q'] ?? ''));
  const chosen = all.find(({ key }) => key === query['case']);
  useKeys(useMemo(() => caseKeys(found, chosen), [result, shown, query['q'], chosen?.key]));
  useCommands(useMemo(() => () => [casesGroup(all, chosen)], [all, chosen]));
  return (
    <div class={chosen === undefined ? 'split alone' : 'split'}>
      <div class="pane">
        <Head result={result} />
        <Banners result={result} />
        <div class="panel-body paper">
          <ModelTable cases={result.cases} models={models} />
          <div class="tests-choose line gaps wraps">
            <Choices
              label="Which cases"
              chosen={shown}
              of={SHOWN.filter((one) => one !== 'differ' || models.length > 1).map((value) => ({
                value,
                name: SHOWN_NAMES[value],
                count: all.filter((one) => isShown(one, value)).length,
              }))}
              onChoose={(value: Shown) => setQuery({ show: value })}
            />
            <FilterField
              value={query['q'] ?? ''}
              placeholder="name, file, agent or failure"
              width={260}
              onChange={(text) => setQuery({ q: text === '' ? undefined : text })}
            />
          </div>
          <CaseTable cases={found} models={models} chosen={chosen?.key} shown={shown} />
        </div>
      </div>
      {chosen !== undefined && <CaseDetail key={chosen.key} of={chosen} />}
    </div>
  );
};

const Banners = ({ result: { state, stopped, counts, planned, command } }: { readonly result: TestInfo }) => {
  const done = counts.passed + counts.failed + counts.skipped;
  if (state === 'broken-off')
    return (
      <Banner state="broken-off">
        Its process ended before the tests did: {done} of {planned} have a result. Run it again: <code>{command}</code>
      </Banner>
    );
  if (stopped === true && state === 'ended')
    return <Banner state="cancelled">It was stopped: cases that had not begun were skipped.</Banner>;
  return null;
};

function caseKeys(found: readonly ComparedCase[], chosen: ComparedCase | undefined): readonly KeyBinding[] {
  const at = found.findIndex(({ key }) => key === chosen?.key);
  const choose = (index: number): void =>
    setQuery({ case: found[Math.max(0, Math.min(found.length - 1, index))]?.key });
  return [
    { keys: 'ArrowDown|j', does: 'the next case', run: () => choose(at + 1) },
    { keys: 'ArrowUp|k', does: 'the one before', run: () => choose(at - 1) },
    { keys: 'Home', does: 'the first case', run: () => choose(0) },
    { keys: 'End', does: 'the last case', run: () => choose(found.length - 1) },
    {
      keys: 'Enter',
      does: 'open the run of the case: the one that failed, if it did',
      run: () => {
        const run = chosen === undefined ? undefined : runToOpen(chosen);
        if (run !== undefined) go(runHref(run));
      },
    },
    {
      keys: 'Escape',
      does: 'close the case',
      run: () => {
        if (chosen === undefined) return false;
        setQuery({ case: undefined });
        return undefined;
      },
    },
  ];
}

function runToOpen({ results }: ComparedCase): string | undefined {
  const kept = results.filter((one) => one.kept);
  return (kept.find(({ state }) => state === 'failed') ?? kept[0])?.runs.at(-1);
}

function casesGroup(all: readonly ComparedCase[], chosen: ComparedCase | undefined) {
  const run = chosen === undefined ? undefined : runToOpen(chosen);
  const first = chosen?.results[0];
  return {
    title: 'Cases',
    order: chosen === undefined ? 4 : 0,
    commands: [
      ...(run === undefined
        ? []
        : [
            {
              id: 'open-case',
              title: 'Open the run of this case',
              keys: 'Enter',
              kind: 'command' as const,
              run: () => go(runHref(run)),
            },
          ]),
      ...(first === undefined
        ? []
        : [
            {
              id: 'again',
              title: 'Copy the command that runs this case again',
              kind: 'command' as const,
              run: () => void copyText(againCommand(first)),
            },
          ]),
      ...all.map(({ key, name, file, state, results }) => ({
        id: `case ${key}`,
        title: name,
        hint: `${state}, ${duration(results.reduce((sum, one) => sum + (one.ms ?? 0), 0))}`,
        also: file,
        kind: 'place' as const,
        run: () => setQuery({ case: key, show: 'all' }),
      })),
    ],
  };
}
