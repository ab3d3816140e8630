// The costs of a run by its agents, each without those that it asked: a name, its share of the dearest, its amount.

import { costText, tokens } from '../../../src/views/amounts.ts';
import type { Totals } from '../../../src/views/costs/totals.ts';
import { Section } from './panel.tsx';
import { ShareBar } from './share-bar.tsx';

interface Props {
  readonly agents: readonly { readonly agent: string; readonly own: Totals }[];
}

export const AgentCosts = ({ agents }: Props) => {
  const most = Math.max(0, ...agents.map(({ own }) => own.usd ?? 0));
  return (
    <Section title="What it cost" aside="own, by agent">
      <ul>
        {agents.map(({ agent, own }) => (
          <li key={agent} class="cols cost-row small-text soft" title={`${tokens(own.input + own.output)} tokens`}>
            <span class="cut">{agent}</span>
            <ShareBar parts={[{ share: most === 0 ? 0 : (own.usd ?? 0) / most }]} />
            <span class="num">{costText(own)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
};
