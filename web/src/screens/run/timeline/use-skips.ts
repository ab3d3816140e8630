// The waits of a run that are shown short: none, or those beside which the work could hardly be seen. It stands in the
// address; where that does not say, waits over three times the work are.

import { useMemo } from 'preact/hooks';
import { longWaits, type RunWait, skippableWaits } from '../../../../../src/views/waits.ts';
import { address, setQuery } from '../../../app/router.ts';
import type { RunView } from '../run-view.ts';

export interface Skips {
  /** Some wait could be skipped. */
  readonly isOffered: boolean;
  readonly isOn: boolean;
  readonly waits: readonly RunWait[];
}

const NONE: readonly RunWait[] = [];

/** `now`: what goes on does so at least until then. */
export function useSkips(view: RunView, now: number): Skips {
  const asked = address.value.query['skip'];
  const told = view.waits.value(now);
  const offered = skippableWaits(told);
  const isOn = offered.length > 0 && (asked === undefined ? longWaits(told).length > 0 : asked === 'on');
  const key = isOn ? offered.map(({ from, to }) => `${from}-${to}`).join(' ') : '';
  const waits = useMemo(() => (isOn ? offered : NONE), [key]);
  return { isOffered: offered.length > 0, isOn, waits };
}

export const skipWaits = (on: boolean): void => setQuery({ skip: on ? 'on' : 'off' });
