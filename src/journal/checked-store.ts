// A store whose events have been looked at: whoever reads a run gets events that are whole, or a fault that says which is not.
// SHAPE-1 (see event-shape.ts).

import { fail } from '../kernel/fault.ts';
import type { RunEvent, RunId } from './event.ts';
import { eventProblem } from './event-shape.ts';
import type { Fleet, RunStore, TakenRun } from './store.ts';

export function checkedStore(
  store: RunStore,
  placeOf: (run: RunId, seq: number) => { readonly where: string; readonly wayOut: string },
): RunStore {
  const check = <Event extends RunEvent>(run: RunId, event: Event): Event => {
    const problem = eventProblem(event);
    if (problem === undefined) return event;
    const { where, wayOut } = placeOf(run, event.seq);
    const type = JSON.stringify(event.type ?? null);
    return fail('journal/corrupt', `${where} cannot be read: ${problem}, in an event of type ${type}. ${wayOut}`, {
      run,
      seq: event.seq,
    });
  };
  const { end, fleet } = store;
  return {
    ...store,
    read: (run, fromSeq) => mapped(store.read(run, fromSeq), (event) => check(run, event)),
    follow: (run, fromSeq, signal) => mapped(store.follow(run, fromSeq, signal), (event) => check(run, event)),
    ...(end && {
      async end(run, signal) {
        const event = await end(run, signal);
        return event && check(run, event);
      },
    }),
    ...(fleet && { fleet: checkedFleet(fleet, check) }),
  };
}

function checkedFleet(fleet: Fleet, check: (run: RunId, event: RunEvent) => RunEvent): Fleet {
  const checkedRun = (taken: TakenRun): TakenRun => ({
    ...taken,
    async open() {
      const opened = await taken.open();
      for (const event of opened.recorded) check(taken.run, event);
      return opened;
    },
  });
  return { ...fleet, take: async (request) => (await fleet.take(request)).map(checkedRun) };
}

function mapped(events: AsyncIterable<RunEvent>, map: (event: RunEvent) => RunEvent): AsyncIterable<RunEvent> {
  return {
    [Symbol.asyncIterator]() {
      const inner = events[Symbol.asyncIterator]();
      return {
        next: () => inner.next().then((next) => (next.done === true ? next : { value: map(next.value) })),
        return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
