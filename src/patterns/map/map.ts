// A map as a step of a chain: over which list, by whom, and how.

import type { AgentName } from '../../kernel/effect.ts';

export interface MapStep {
  readonly kind: 'map';
  /** The property with the list, or `$` for the answer itself. */
  readonly each: string;
  /** The worker: it runs once for each item. */
  readonly to: AgentName;
  /** The most items. Undefined: the schema of the answer says it. */
  readonly max?: number;
  /** The items at work at once. */
  readonly concurrent: number;
  /** The items that may fail. */
  readonly failures: number;
  readonly pass: 'item' | 'request+item';
  /** Runs on all results. */
  readonly join?: AgentName;
}
