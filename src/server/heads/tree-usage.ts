// The usage of a run so far: every model call of its whole tree, each once. The ledger counts the same lines.

import type { RunEvent } from '../../journal/event.ts';
import { ledgerLineFold } from '../../views/costs/calls.ts';
import { count, counter, type Totals, totalsOf } from '../../views/costs/totals.ts';

export function treeUsage(): { add(event: RunEvent): void; totals(): Totals } {
  const all = counter();
  const lines = ledgerLineFold((line) => count(all, line));
  return { add: (event) => lines.add(event), totals: () => totalsOf(all) };
}
