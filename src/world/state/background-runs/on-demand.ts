// Background runs whose state is made when it is first needed: most runs spawn nothing. Everything that concerns it
// comes after the first spawn, or is a message from outside.

import type { RunEvent } from '../../../journal/event.ts';
import type { BackgroundRuns } from './background-runs.ts';

export function backgroundRunsOnDemand(open: () => BackgroundRuns): BackgroundRuns {
  let opened: BackgroundRuns | undefined;
  const runs = (): BackgroundRuns => (opened ??= open());
  return {
    add(event) {
      if (opened !== undefined || isForBackgroundRuns(event)) runs().add(event);
    },
    perform: (effect, op) => runs().perform(effect, op),
    sessionOf: (run) => opened?.sessionOf(run),
    stop: (reason) => runs().stop(reason),
    opened: (run, op) => runs().opened(run, op),
    endBelow: (session, reason) => runs().endBelow(session, reason),
    fail: (thrown) => runs().fail(thrown),
    throwIfFailed: () => opened?.throwIfFailed(),
  };
}

const isForBackgroundRuns = (event: RunEvent): boolean =>
  event.type === 'op' ? event.kind === 'spawn' : event.type === 'control';
