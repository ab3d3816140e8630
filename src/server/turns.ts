// The runs that a server works on at the same time. Further ones wait for their turn in the order in which they came;
// they are recorded already, and can be reached. New ones are refused once the line is full, resumed ones never.

import type { ServerConfig } from '../definition/definition.ts';
import { fail } from '../kernel/fault.ts';

/** One of the places for work at the same time. */
export interface RunTurn {
  /** Settles when the turn has come. Undefined: it has come already. */
  readonly come: Promise<void> | undefined;
  /** The run is over, or was not begun. */
  release(): void;
}

/** After how many seconds a refused client should ask again. */
const RETRY_AFTER_SECONDS = 5;

export class RunTurns {
  readonly #limits: () => Pick<ServerConfig, 'maxRuns' | 'maxWaiting'>;
  readonly #line = new Set<() => void>();
  #atWork = 0;

  constructor(limits: () => Pick<ServerConfig, 'maxRuns' | 'maxWaiting'>) {
    this.#limits = limits;
  }

  get atWork(): number {
    return this.#atWork;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Throws `server/busy` for a new run if the line is full. */
  take(what: 'new' | 'resumed'): RunTurn {
    const { maxRuns, maxWaiting } = this.#limits();
    let isAtWork = false;
    let leave = (): void => {};
    const begin = (): void => {
      leave = () => {};
      this.#atWork++;
      isAtWork = true;
    };
    const release = (): void => {
      leave();
      if (isAtWork) this.#atWork--;
      isAtWork = false;
      this.#next();
    };
    if (this.#atWork < maxRuns && this.waiting === 0) {
      begin();
      return { come: undefined, release };
    }
    if (what === 'new' && this.waiting >= maxWaiting) {
      fail(
        'server/busy',
        `${this.#atWork} runs are at work and ${this.waiting} wait. Ask again later, or raise server.maxRuns or server.maxWaiting.`,
        { retryAfter: RETRY_AFTER_SECONDS },
      );
    }
    const come = new Promise<void>((resolve) => {
      const go = (): void => {
        this.#line.delete(go);
        begin();
        resolve();
      };
      leave = () => void this.#line.delete(go);
      this.#line.add(go);
    });
    return { come, release };
  }

  #next(): void {
    for (const go of this.#line) {
      if (this.#atWork >= this.#limits().maxRuns) return;
      go();
    }
  }
}
