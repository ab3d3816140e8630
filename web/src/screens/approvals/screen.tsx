// What waits for a person.

import type { Address } from '../../app/addresses.ts';
import { opHref } from '../../app/addresses.ts';
import { approvals } from '../../data/approvals.ts';
import { Empty } from '../../parts/panel.tsx';

export const ApprovalsScreen = (_props: { readonly run: string | undefined; readonly address: Address }) => {
  if (approvals.value.length === 0) return <Empty title="Nothing waits for you" />;
  return (
    <ul class="panel-body">
      {approvals.value.map(({ run, path, prompt }) => (
        <li key={`${run} ${path}`}>
          <a class="link" href={opHref(run, path)}>
            {prompt}
          </a>
        </li>
      ))}
    </ul>
  );
};
