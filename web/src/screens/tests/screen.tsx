// Results of `cadre test` that the store keeps, newest first.

import { useMemo } from 'preact/hooks';
import type { TestRow } from '../../../../src/server/protocol.ts';
import { cost, tokens } from '../../../../src/views/amounts.ts';
import { type Address, testHref } from '../../app/addresses.ts';
import { useCommands } from '../../app/commands.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { go, setQuery } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { useTestList } from '../../data/tests.ts';
import { Command } from '../../parts/controls.tsx';
import { LoadingScreen } from '../../parts/loading.tsx';
import { Empty } from '../../parts/panel.tsx';
import { StateWord } from '../../parts/state.tsx';
import { Lasting, Moment } from '../../parts/times.tsx';
import { stateOfTests } from './shown.ts';
import './tests.css';

export const TestsScreen = ({ address }: { readonly address: Address }) => {
  const list = useTestList();
  useTitle('Tests');
  switch (list.kind) {
    case 'loading':
      return <LoadingScreen rows={8} />;
    case 'refused':
      return (
        <Empty title="The results cannot be read">
          <p>{list.problem.message}</p>
        </Empty>
      );
    case 'ready':
      return list.value.items.length === 0 ? <NoTests /> : <TestRows rows={list.value.items} address={address} />;
  }
};

export const NoTests = () => (
  <Empty title="No tests have been run here yet">
    <p>
      Tests stand beside the agents, in files that end in <code>.test.yaml</code>. <em>Save as test</em> on a run that
      has ended makes one. What they show appears here, also while they run:
    </p>
    <Command line="cadre test" />
    <p>The same cases with several models, side by side:</p>
    <Command line="cadre test --models fast,careful" />
  </Empty>
);

export const TestRows = ({ rows, address }: { readonly rows: readonly TestRow[]; readonly address: Address }) => {
  const focused = rows.find(({ id }) => id === address.query['test']) ?? rows[0];
  useKeys(useMemo(() => rowKeys(rows, focused), [rows, focused?.id]));
  useCommands(useMemo(() => () => [{ title: 'Results of tests', order: 4, commands: rows.map(commandOf) }], [rows]));
  return (
    <div class="tests-list panel-body full paper">
      <h1>Results of tests</h1>
      <table class="tab stacks tests-rows">
        <thead class="phone-sr">
          <tr>
            <th>result</th>
            <th>command</th>
            <th>models</th>
            <th class="num">passed</th>
            <th class="num">tokens</th>
            <th class="num">cost</th>
            <th class="num">took</th>
            <th class="num">began</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} isFocused={row === focused} />
          ))}
        </tbody>
      </table>
    </div>
  );
};

const Row = ({ row, isFocused }: { readonly row: TestRow; readonly isFocused: boolean }) => {
  const { id, command, models, counts, spent, judges, failed, startedAt, endedAt, state } = row;
  const looks = stateOfTests(row);
  return (
    <tr class={isFocused ? 'choosable chosen' : 'choosable'} onClick={() => go(testHref(id))}>
      <td>
        <StateWord {...looks} />
      </td>
      <td class="tests-command cut">
        <a class="mono" href={testHref(id)} aria-current={isFocused ? 'true' : undefined}>
          {command}
        </a>
        {failed.length > 0 && <span class="faint"> {failed.join(', ')}</span>}
      </td>
      <td class="tests-models cut">{models.length === 0 ? <span class="faint">their own</span> : models.join(', ')}</td>
      <td class="num" data-name="passed">
        {counts.passed} of {counts.passed + counts.failed}
      </td>
      <td class="num" data-name="tokens">
        {tokens(spent.input + spent.output + judges.input + judges.output)}
      </td>
      <td class="num" data-name="cost">
        {cost(spent.usd, spent.unpriced)}
      </td>
      <td class="num" data-name="took">
        {state === 'broken-off' ? '–' : <Lasting from={startedAt} to={state === 'running' ? undefined : endedAt} />}
      </td>
      <td class="num" data-name="began">
        <Moment at={startedAt} />
      </td>
    </tr>
  );
};

const commandOf = (row: TestRow) => ({
  id: `tests ${row.id}`,
  title: row.command,
  hint: stateOfTests(row).word,
  also: row.id,
  kind: 'place' as const,
  run: () => go(testHref(row.id)),
});

function rowKeys(rows: readonly TestRow[], focused: TestRow | undefined): readonly KeyBinding[] {
  const at = focused === undefined ? -1 : rows.indexOf(focused);
  const focus = (index: number): void => setQuery({ test: rows[Math.max(0, Math.min(rows.length - 1, index))]?.id });
  return [
    { keys: 'ArrowDown|j', does: 'the next result', run: () => focus(at + 1) },
    { keys: 'ArrowUp|k', does: 'the one before', run: () => focus(at - 1) },
    { keys: 'Home', does: 'the newest', run: () => focus(0) },
    { keys: 'End', does: 'the oldest', run: () => focus(rows.length - 1) },
    {
      keys: 'Enter',
      does: 'open the result',
      run: () => {
        if (focused !== undefined) go(testHref(focused.id));
      },
    },
  ];
}
