// Every store checks the place of events in a run as they are appended. A wrong place is a defect, not a fault.

import type { RunEvent, RunId } from '../journal/event.ts';

export function checkOrder(run: RunId, events: readonly RunEvent[], next: number): void {
  let expected = next;
  for (const event of events) {
    if (event.seq !== expected) {
      throw new Error(`Run ${run} expects event ${expected} next, and was given event ${event.seq}.`);
    }
    expected++;
  }
}
