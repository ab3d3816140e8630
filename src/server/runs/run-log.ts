// A line in the log for each run that this process works on: when it begins or goes on, and when it ends.

import type { RunEvent, RunId } from '../../journal/event.ts';
import type { Watcher } from '../../run/bus.ts';

export function runLog(note: (text: string) => void, run: RunId, recorded: readonly RunEvent[]): Watcher {
  let agent = '';
  let startedAt = 0;
  const begin = (event: RunEvent, what: string): void => {
    if (event.type !== 'run-start') return;
    ({ agent, at: startedAt } = event);
    note(`run ${run} ${what}: ${agent}`);
  };
  const [first] = recorded;
  if (first !== undefined) begin(first, 'goes on');
  return {
    event(event) {
      begin(event, 'begins');
      if (event.type !== 'run-end') return;
      const { outcome, at } = event;
      const why = 'fault' in outcome ? `: ${outcome.fault.code}` : '';
      note(`run ${run} ${outcome.kind}: ${agent}, after ${((at - startedAt) / 1000).toFixed(1)} s${why}`);
    },
  };
}
