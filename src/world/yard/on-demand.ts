// A yard that is opened when somebody needs one: most runs spawn nobody. Whatever can concern it comes after the first
// spawn, or is a message from outside.

import type { RunEvent } from '../../journal/event.ts';
import type { Yard } from './yard.ts';

export function yardOnDemand(open: () => Yard): Yard {
  let opened: Yard | undefined;
  const yard = (): Yard => (opened ??= open());
  return {
    add(event) {
      if (opened !== undefined || isForYard(event)) yard().add(event);
    },
    perform: (effect, op) => yard().perform(effect, op),
    sessionOf: (run) => opened?.sessionOf(run),
    stop: (reason) => yard().stop(reason),
    opened: (run, op) => yard().opened(run, op),
    endBelow: (session, reason) => yard().endBelow(session, reason),
    fail: (thrown) => yard().fail(thrown),
    raise: () => opened?.raise(),
  };
}

const isForYard = (event: RunEvent): boolean =>
  event.type === 'op' ? event.kind === 'spawn' : event.type === 'control';
