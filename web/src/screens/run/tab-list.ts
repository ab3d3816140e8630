// The tabs of a run, with a figure each, and those left out that have nothing to show.

import { usd } from '../../../../src/views/amounts.ts';
import { teamTalkFold } from '../../../../src/views/team-talk.ts';
import { transcriptFold } from '../../../../src/views/transcript.ts';
import { type Address, type RunTab, runHref } from '../../app/addresses.ts';
import type { RunData } from '../../data/run-data.ts';

interface TabLink {
  readonly tab: RunTab;
  readonly name: string;
  readonly href: string;
  readonly figure?: string | undefined;
}

const counts = new WeakMap<
  RunData,
  { readonly talks: { readonly value: number }; readonly said: { readonly value: number } }
>();

/** Made once for each run, because the views behind them are. */
function countsOf(data: RunData) {
  const known = counts.get(data) ?? {
    talks: data.view(transcriptFold, (fold) => fold.conversations().length),
    said: data.view(teamTalkFold, (fold) => fold.teams().reduce((sum, { entries }) => sum + entries.length, 0)),
  };
  counts.set(data, known);
  return known;
}

export function tabsOf(data: RunData, { place, query, selected }: Address): readonly TabLink[] {
  const { talks, said } = countsOf(data);
  const { totals } = data.ledger.value;
  const run = place.screen === 'run' ? place.run : data.run;
  const at = query['at'];
  const href = (tab: RunTab): string => runHref(run, tab, { query: { at }, selected });
  return [
    { tab: 'timeline', name: 'Timeline', href: href('timeline') },
    { tab: 'conversation', name: 'Conversation', href: href('conversation'), figure: String(talks.value) },
    ...(said.value > 0 ? [{ tab: 'team', name: 'Team', href: href('team'), figure: String(said.value) } as const] : []),
    { tab: 'cost', name: 'Cost', href: href('cost'), figure: totals.usd === undefined ? undefined : usd(totals.usd) },
    ...(place.screen === 'run' && place.tab === 'changes'
      ? [{ tab: 'changes', name: 'Changes', href: href('changes') } as const]
      : []),
    { tab: 'journal', name: 'Journal', href: href('journal'), figure: String(data.extent.value.count) },
  ];
}
