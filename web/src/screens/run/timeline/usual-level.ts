// The level of detail where the address names none. It is decided once for a visit: what a person looks at stays when the
// run ends, is resumed, or is shown as it was.

import { useRef } from 'preact/hooks';
import { endingOf } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';
import type { Level } from './rows.ts';

/** Rows of every op are of use while there are not too many of them. */
const MANY_EVENTS = 2000;

/** Called by what lasts as long as the visit, which a tab does not. */
export function useUsualLevel(view: RunView, live: boolean): Level {
  const decided = useRef<Level | undefined>(undefined);
  if (decided.current !== undefined) return decided.current;
  const { events, count, phase, ended } = view.data;
  const ending = endingOf(events, count.value);
  const level = levelFor(live, ending?.outcome.kind ?? ended.value.outcome, count.value);
  // The number of an ended run's events is known when the last of them has arrived.
  if (ending !== undefined || phase.value !== 'ended') decided.current = level;
  return level;
}

/** Live runs show who works; runs that failed show every op; all others their turns. */
function levelFor(live: boolean, outcome: string | undefined, events: number): Level {
  if (live) return 'agents';
  return outcome === 'answered' || events >= MANY_EVENTS ? 'turns' : 'ops';
}
