// When a run begins: after whoever started it has had its turn, so that it can watch the first event.
// T1. It begins within the same turn of the event loop, unless that has lasted for a while: what waits for the loop
//     (timers, sockets, Ctrl+C) is not kept waiting by runs that follow each other.

/** So long may runs follow each other in one turn. */
const TURN_MS = 5;

let turnBegan = Number.NEGATIVE_INFINITY;

export function soon(begin: () => void): void {
  // Called within a promise's reaction: what was enqueued by then, the starter's own turn included, comes first.
  if (performance.now() - turnBegan < TURN_MS) process.nextTick(begin);
  else setImmediate(beginTurn, begin); // T1
}

function beginTurn(begin: () => void): void {
  turnBegan = performance.now();
  begin();
}
