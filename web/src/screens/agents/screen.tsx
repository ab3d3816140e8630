// The agents of the cadre.

import type { Address } from '../../app/addresses.ts';
import { startHref } from '../../app/addresses.ts';
import { cadre } from '../../data/cadre.ts';
import { Loading } from '../../parts/loading.tsx';

export const AgentsScreen = (_props: { readonly agent: string | undefined; readonly address: Address }) => {
  const now = cadre();
  if (now === undefined) return <Loading />;
  return (
    <table class="tab">
      <tbody>
        {now.agents.map(({ name, description }) => (
          <tr key={name}>
            <td>
              <a class="link" href={startHref(name)}>
                {name}
              </a>
            </td>
            <td>{description}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
