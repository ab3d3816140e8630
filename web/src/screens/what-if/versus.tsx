// The figures of both sides, each as it was and as it is with the change.

import type { ComponentChildren } from 'preact';
import { duration } from '../../../../src/views/amounts.ts';
import type { OpNode } from '../../../../src/views/tree/op-tree.ts';
import type { RunData } from '../../data/run-data.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { Figures } from '../../parts/panel.tsx';
import { costText } from '../run/run-facts.ts';
import { changeWords } from './experiment.ts';
import { outcomeOf, timeOf } from './sides.tsx';

/** `right`: the fork, by its id. */
export const Versus = ({ left, right }: { readonly left: RunData; readonly right: string }) => {
  const fork = useRun(right);
  if (fork.loading.value.kind !== 'ready') return null; // its figures are not known, and 0 would be a lie
  const [ours, theirs] = [left.ledger.value.totals, fork.ledger.value.totals];
  const [took, takes] = [timeOf(left), timeOf(fork)];
  const [before, now] = [sentBack(left.tree.value), sentBack(fork.tree.value)];
  const sides = [
    { name: 'outcome', value: pair(outcomeOf(left)?.kind ?? '–', outcomeOf(fork)?.kind ?? 'at work') },
    { name: 'cost', value: pair(costText(ours), costText(theirs), changeWords(ours.usd, theirs.usd)) },
    { name: 'time', value: pair(duration(took), duration(takes), changeWords(took, takes)) },
    { name: 'model calls', value: pair(ours.calls, theirs.calls) },
    ...(before + now > 0 ? [{ name: 'sent back', value: pair(before, now) }] : []),
  ];
  return <Figures of={sides} />;
};

const pair = (one: ComponentChildren, other: ComponentChildren, change?: string) => (
  <>
    <span class="what-if-was">{one} →</span> {other} {change !== undefined && <small>{change}</small>}
  </>
);

/** The turns whose answer was not taken. */
const sentBack = ({ kind, state, children }: OpNode): number =>
  (kind === 'turn' && (state === 'refused' || state === 'sent-back') ? 1 : 0) +
  children.reduce((count, child) => count + sentBack(child), 0);
