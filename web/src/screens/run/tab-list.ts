// The tabs of a run, with a figure each, and those left out that have nothing to show.

import type { RunEvent } from '../../../../src/journal/event.ts';
import { costText } from '../../../../src/views/amounts.ts';
import { TeamTalkFold } from '../../../../src/views/talk/team-talk.ts';
import { TranscriptFold } from '../../../../src/views/talk/transcript.ts';
import { type Address, lookOf, type RunTab, runHref } from '../../app/addresses.ts';
import { runGraph } from '../../data/run-agents.ts';
import type { RunData } from '../../data/run-data.ts';

interface TabLink {
  readonly tab: RunTab;
  readonly name: string;
  readonly href: string;
  readonly figure?: string | undefined;
}

type Figure = { readonly value: number };

const counts = new WeakMap<RunData, { readonly talks: Figure; readonly said: Figure; readonly changes: Figure }>();

/** Files that tool calls said they would change. */
function changeCount() {
  const files = new Set<string>();
  return {
    add: (event: RunEvent) => void (event.type === 'intent' && files.add(event.change.path)),
    count: () => files.size,
  };
}

/** Made once for each run, because the views behind them are. */
function countsOf(data: RunData) {
  const known = counts.get(data) ?? {
    talks: data.view(
      () => new TranscriptFold(),
      (fold) => fold.conversations().length,
    ),
    changes: data.view(changeCount, (fold) => fold.count()),
    said: data.view(
      () => new TeamTalkFold(),
      (fold) => fold.teams().reduce((sum, { entries }) => sum + entries.length, 0),
    ),
  };
  counts.set(data, known);
  return known;
}

/** A run that can reach one agent alone has no graph. */
function hasGraph(data: RunData): boolean {
  const [start] = data.events;
  const edges = runGraph(data).value?.edges ?? [];
  return start?.type === 'run-start' && edges.some(({ from, to }) => from === start.agent && to !== from);
}

export function tabsOf(data: RunData, { place, query, selected }: Address): readonly TabLink[] {
  const { talks, said, changes } = countsOf(data);
  const { totals } = data.ledger.value;
  const run = place.screen === 'run' ? place.run : data.run;
  /** The look at the timeline stays with it while other tabs are shown. */
  const href = (tab: RunTab): string => runHref(run, tab, { query: lookOf(query), selected });
  return [
    { tab: 'timeline', name: 'Timeline', href: href('timeline') },
    ...(hasGraph(data) || (place.screen === 'run' && place.tab === 'graph')
      ? [{ tab: 'graph', name: 'Graph', href: href('graph') } as const]
      : []),
    { tab: 'conversation', name: 'Conversation', href: href('conversation'), figure: String(talks.value) },
    ...(said.value > 0 ? [{ tab: 'team', name: 'Team', href: href('team'), figure: String(said.value) } as const] : []),
    { tab: 'cost', name: 'Cost', href: href('cost'), figure: totals.usd === undefined ? undefined : costText(totals) },
    ...(changes.value > 0 || (place.screen === 'run' && place.tab === 'changes')
      ? [{ tab: 'changes', name: 'Changes', href: href('changes'), figure: String(changes.value) } as const]
      : []),
    { tab: 'journal', name: 'Journal', href: href('journal'), figure: String(data.extent.value.count) },
  ];
}
