// The contract of the part of a store that lists runs. An index, each store in its own way: rows and columns, or a file of
// lines.

import type { RunId } from './event.ts';
import type { RunTotals, SpentQuery, SpentReport } from './run-totals.ts';
import type { IndexProgress, RunQuery, RunSummary } from './store.ts';

export interface RunCatalog {
  /** Newest first. */
  list(query: RunQuery): Promise<readonly RunSummary[]>;
  spent(query: SpentQuery): Promise<SpentReport>;
  totals(): Promise<RunTotals>;
  /** The progress of a list that counts runs from their journals. Undefined while none does. */
  counting?(): IndexProgress | undefined;
  /** Throws `run/unknown`. */
  summary(run: RunId): Promise<RunSummary>;
  /** The full id for an id, a unique prefix of one, or `last`. Throws `run/unknown`, naming the nearest. */
  find(name: string): Promise<RunId>;
  /** True if there is such a run. It costs less than a summary. */
  has(run: RunId): Promise<boolean>;
  /** Throws `run/unknown`, naming the nearest. */
  unknown(run: RunId): Promise<never>;
}
