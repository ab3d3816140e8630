// The runs of the store, newest first.

import type { Address } from '../../app/addresses.ts';
import { runHref } from '../../app/addresses.ts';
import { useRunPages } from '../../data/run-list.ts';
import { Loading } from '../../parts/loading.tsx';
import { Empty } from '../../parts/panel.tsx';
import { StateWord } from '../../parts/state.tsx';
import { Moment } from '../../parts/times.tsx';

export const RunsScreen = (_props: { readonly address: Address }) => {
  const pages = useRunPages();
  if (pages.state.value === 'loading') return <Loading />;
  if (pages.rows.value.length === 0) return <Empty title="No runs in this store yet" />;
  return (
    <table class="tab">
      <tbody>
        {pages.rows.value.map((row) => (
          <tr key={row.run}>
            <td>
              <StateWord state={row.state === 'ended' ? (row.outcome ?? 'done') : row.state} />
            </td>
            <td>
              <a class="link" href={runHref(row.run)}>
                {row.agent}
              </a>
            </td>
            <td>{row.input.text}</td>
            <td>
              <Moment at={row.startedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
