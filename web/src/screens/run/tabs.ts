// The properties that the tabs of a run get.

import type { Address } from '../../app/addresses.ts';
import type { RunData } from '../../data/run-data.ts';

export interface RunTabProps {
  readonly data: RunData;
  readonly address: Address;
  /** Opens the form of a fork at the selected op, and of a replay. */
  readonly ask: (what: 'fork' | 'replay') => void;
}
