// Begins a run after the code that started it has finished its turn, so that it can watch the first event.
// SCHEDULE-1. It begins within the same turn of the event loop, unless that has lasted for a while: what waits for the
//             loop (timers, sockets, Ctrl+C) is not kept waiting by runs that follow each other.
// SCHEDULE-2. Runs that are started together begin one after the other, each once the one before waits for something:
//             so those that wait for nothing are never all half done at the same time.
// SCHEDULE-3. Of very many that are started together, a few begin in each turn of the event loop.

/** The time for which runs may follow each other in one turn. */
const TURN_MS = 5;

/** The number of runs that begin in one turn (SCHEDULE-3). */
const IN_A_TURN = 32;

let turnBegan = Number.NEGATIVE_INFINITY;
let isNext: (() => void) | undefined;
const waiting: (() => void)[] = [];
let isQueueing = false;

export function soon(begin: () => void): void {
  if (isNext !== undefined || isQueueing || performance.now() - turnBegan >= TURN_MS) {
    waiting.push(begin);
    if (!isQueueing) setImmediate(beginTurn); // SCHEDULE-1, SCHEDULE-2
    isQueueing = true;
    return;
  }
  isNext = begin;
  // Called in a microtask: what was queued before, including the starter's own turn, comes first.
  process.nextTick(beginNext);
}

function beginNext(): void {
  const begin = isNext;
  isNext = undefined;
  begin?.();
}

/** Node finishes what one callback does at once before it calls the next, also within a turn (SCHEDULE-2). */
function beginTurn(): void {
  turnBegan = performance.now();
  const [first, ...others] = waiting.splice(0, IN_A_TURN);
  for (const begin of others) setImmediate(begin);
  isQueueing = waiting.length > 0;
  if (isQueueing) setImmediate(beginTurn);
  first?.();
}
