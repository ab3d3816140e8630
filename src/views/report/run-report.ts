// Everything there is to show about a run in one value: what `cadre show --json` prints and the page asks for.

import { present } from '../../base/text/present.ts';
import { atOnce, type RestingWork } from '../../base/text/steps.ts';
import type { RunEvent, RunId, RunStart } from '../../journal/event.ts';
import type { RunNote } from '../../journal/store.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { changesOf, type RecordedChange } from '../changes.ts';
import { type Ledger, type LedgerLine, ledgerFold, type Totals, type ViewOptions } from '../costs/ledger.ts';
import { Lineage } from '../lineage.ts';
import { type CallTally, callTallyFold } from '../progress/call-tally.ts';
import { type Compaction, CompactionFold } from '../talk/compactions.ts';
import { type OpNode, OpTreeFold } from '../tree/op-tree.ts';
import type { RefusedCall } from '../tree/refusals.ts';

export interface RunReport {
  readonly run: RunId;
  /** The conversation that it is part of, and the run before it there. */
  readonly thread?: string;
  readonly continues?: RunId;
  /** Null while the run has not ended. */
  readonly outcome: Outcome | null;
  readonly tree: OpNode;
  readonly ledger: readonly LedgerLine[];
  /** The calls of tools that came to nothing. */
  readonly calls: CallTally;
  /** Calls that were not made, and why. Absent if there are none. */
  readonly refused?: readonly RefusedCall[];
  /** The files that it changed, in order. Absent if there are none. */
  readonly changes?: readonly RecordedChange[];
  /** Absent if no session was compacted. */
  readonly compactions?: readonly Compaction[];
  /** Marks of people, which lie beside the journal: the reader of the store adds them. Absent if there are none. */
  readonly notes?: readonly RunNote[];
  readonly totals: Totals & Pick<Ledger, 'agents' | 'triggers' | 'answer'>;
}

export function runReport(events: Iterable<RunEvent>, options: ViewOptions = {}): RunReport {
  const fold = reportFold();
  for (const event of events) fold.add(event);
  return atOnce(fold.report(options));
}

export function reportFold(): { add(event: RunEvent): void; report(options: ViewOptions): RestingWork<RunReport> } {
  const tree = new OpTreeFold();
  const book = ledgerFold();
  const runs = new Lineage();
  const refused: RefusedCall[] = [];
  const tally = callTallyFold(runs, (call) => refused.push(call));
  const compacted = new CompactionFold();
  let start: Pick<RunStart, 'run' | 'thread' | 'continues'> = { run: '' };
  let outcome: Outcome | null = null;
  const changing: RunEvent[] = [];
  return {
    add(event) {
      if (isOfChanges(event)) changing.push(event);
      tree.add(event);
      book.add(event);
      runs.add(event);
      tally.add(event);
      compacted.add(event);
      if (event.type === 'run-start') start = event;
      if (event.type === 'run-end') outcome = event.outcome;
    },
    *report({ live }) {
      if (live !== true) {
        tree.settle();
        book.settle();
      }
      const { lines, totals, ...shares } = yield* book.ledgerSteps();
      const { run, thread, continues } = start;
      const changes = changing.some(({ type }) => type === 'intent') ? changesOf(changing) : [];
      return {
        run,
        ...present({ thread, continues }),
        outcome,
        tree: yield* tree.treeSteps(),
        ledger: lines,
        calls: tally.tally(),
        ...(refused.length > 0 && { refused }),
        ...(changes.length > 0 && { changes }),
        ...(compacted.all.size > 0 && { compactions: [...compacted.all.values()] }),
        totals: { ...totals, ...shares },
      };
    },
  };
}

/** The events that the list of changes is made of. */
const isOfChanges = (event: RunEvent): boolean =>
  event.type === 'run-start' ||
  event.type === 'intent' ||
  event.type === 'undo' ||
  (event.type === 'op-start' && event.op.kind === 'tool') ||
  (event.type === 'op-end' && event.kind === 'tool');
