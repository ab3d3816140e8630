// A yard that is opened when somebody needs one: most runs spawn nobody.

import type { Yard } from './yard.ts';

export function yardOnDemand(open: () => Yard): Yard {
  let opened: Yard | undefined;
  const yard = (): Yard => (opened ??= open());
  return {
    perform: (effect, op) => yard().perform(effect, op),
    cancel: (run, reason) => yard().cancel(run, reason),
    send: (run, text) => yard().send(run, text),
    isThere: (run) => yard().isThere(run),
    stop: (reason) => yard().stop(reason),
    opened: (run, op) => yard().opened(run, op),
    ran: (run, outcome) => yard().ran(run, outcome),
    endBelow: (session, reason) => yard().endBelow(session, reason),
    fail: (thrown) => yard().fail(thrown),
    raise: () => opened?.raise(),
  };
}
