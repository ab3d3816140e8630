// Everything there is to show about a run in one value: what `cadre show --json` prints and the page asks for.

import type { RunEvent, RunId } from '../journal/event.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { type Ledger, ledgerFold, type LedgerLine, type Totals, type ViewOptions } from './ledger.ts';
import { type OpNode, opTreeFold } from './op-tree.ts';

export interface RunReport {
  readonly run: RunId;
  /** Null while the run has not ended. */
  readonly outcome: Outcome | null;
  readonly tree: OpNode;
  readonly ledger: readonly LedgerLine[];
  readonly totals: Totals & Pick<Ledger, 'agents' | 'triggers' | 'answer'>;
}

export function runReport(events: Iterable<RunEvent>, options: ViewOptions = {}): RunReport {
  const tree = opTreeFold();
  const book = ledgerFold();
  let run: RunId = '';
  let outcome: Outcome | null = null;
  for (const event of events) {
    tree.add(event);
    book.add(event);
    if (event.type === 'run-start') run = event.run;
    if (event.type === 'run-end') outcome = event.outcome;
  }
  if (options.live !== true) {
    tree.settle();
    book.settle();
  }
  const { lines, totals, ...shares } = book.ledger();
  return { run, outcome, tree: tree.tree(), ledger: lines, totals: { ...totals, ...shares } };
}
