// What the tabs of a run get.

import type { Address } from '../../app/addresses.ts';
import type { RunData } from '../../data/run-data.ts';

export interface RunTabProps {
  readonly data: RunData;
  readonly address: Address;
}
