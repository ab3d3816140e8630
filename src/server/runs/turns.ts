// The runs that a server works on at the same time. Further ones wait for their turn in the order in which they came;
// they are recorded already, and can be reached. New ones are refused once the line is full, resumed ones never.

import { fail } from '../../kernel/fault.ts';
import type { RunTurn } from '../context.ts';

export interface TurnLimits {
  readonly maxRuns: number;
  readonly maxWaiting: number;
}

/** After how many seconds a refused client should ask again. */
const RETRY_AFTER_SECONDS = 5;

export function openTurns(limits: () => TurnLimits): {
  /** Throws `server/busy` for a new run if the line is full. */
  take(what: 'new' | 'resumed'): RunTurn;
  readonly atWork: number;
  readonly waiting: number;
} {
  const line = new Set<() => void>();
  let atWork = 0;
  const next = (): void => {
    for (const begin of line) {
      if (atWork >= limits().maxRuns) return;
      begin();
    }
  };
  return {
    get atWork() {
      return atWork;
    },
    get waiting() {
      return line.size;
    },
    take(what) {
      const { maxRuns, maxWaiting } = limits();
      let isAtWork = false;
      let leave = (): void => {};
      const release = (): void => {
        leave();
        if (isAtWork) atWork--;
        isAtWork = false;
        next();
      };
      if (atWork < maxRuns && line.size === 0) {
        atWork++;
        isAtWork = true;
        return { come: undefined, release };
      }
      if (what === 'new' && line.size >= maxWaiting) {
        fail(
          'server/busy',
          `${atWork} runs are at work and ${line.size} wait. Ask again later, or raise server.maxRuns or server.maxWaiting.`,
          { retryAfter: RETRY_AFTER_SECONDS },
        );
      }
      const come = new Promise<void>((resolve) => {
        const begin = (): void => {
          line.delete(begin);
          leave = () => {};
          atWork++;
          isAtWork = true;
          resolve();
        };
        leave = () => void line.delete(begin);
        line.add(begin);
      });
      return { come, release };
    },
  };
}
