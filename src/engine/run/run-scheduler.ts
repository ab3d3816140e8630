// When a run begins: after the code that started it has finished its turn, so that it can watch the first event.
// T1. It begins within the same turn of the event loop, unless that has lasted for a while: what waits for the loop
//     (timers, sockets, Ctrl+C) is not kept waiting by runs that follow each other.
// T2. Runs that are started together begin one after the other, each once the one before waits for something: so those
//     that wait for nothing are never all half done at the same time.

/** How long runs may follow each other in one turn. */
const TURN_MS = 5;

let turnBegan = Number.NEGATIVE_INFINITY;
let isNext: (() => void) | undefined;

export function soon(begin: () => void): void {
  if (isNext !== undefined || performance.now() - turnBegan >= TURN_MS) {
    setImmediate(beginTurn, begin); // T1, T2
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

function beginTurn(begin: () => void): void {
  turnBegan = performance.now();
  begin();
}
