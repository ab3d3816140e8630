// Work that several callers wait for, each with its own stop signal: two agents that need the same server wait for one
// start of it.
// SHARED-1. A caller that is stopped leaves at once, with the reason of its signal, and the others go on waiting.
// SHARED-2. The work is stopped when the last caller has left. It is given up then: a caller that comes later
//           must start it again.

import { FaultError, fault } from '../kernel/fault.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';

export class SharedWork<Value> {
  /** The end of the work itself, whether or not a caller still waits. */
  readonly result: Promise<Value>;
  readonly #stop = new AbortController();
  #waiting = 0;
  #isOver = false;

  constructor(work: (signal: AbortSignal) => Promise<Value>) {
    this.result = work(this.#stop.signal);
    const over = (): void => {
      this.#isOver = true;
    };
    this.result.then(over, over); // those who wait see a failure
  }

  get isGivenUp(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Callers that still wait see the reason, where there is one. */
  giveUp(reason?: FaultError): void {
    if (!this.#isOver) this.#stop.abort(reason);
  }

  async wait(signal?: StopSignal): Promise<Value> {
    if (signal === undefined) return this.#counted(this.result);
    let stop = (): void => {};
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(reasonOf(signal));
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
    try {
      return await this.#counted(Promise.race([stopped, this.result])); // SHARED-1
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #counted(waiting: Promise<Value>): Promise<Value> {
    this.#waiting++;
    try {
      return await waiting;
    } finally {
      this.#waiting--;
      if (this.#waiting === 0) this.giveUp(); // SHARED-2
    }
  }
}

const reasonOf = ({ reason }: StopSignal): unknown =>
  reason instanceof Error ? reason : new FaultError(fault('cancelled', 'It was cancelled.'));
