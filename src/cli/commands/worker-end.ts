// The end of a worker: on SIGTERM and Ctrl+C it lets go of its runs.

import { EXIT } from '../../kernel/fault.ts';
import { notify } from '../screen/output.ts';

/** The time that calls under way may take when the worker is asked to end. */
const DRAIN_MS = 30_000;

/** Settles when the worker has let go of its runs. A second request ends the process at once. */
export function untilAsked(working: {
  readonly atWork: number;
  drain(withinMs: number): Promise<void>;
}): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false;
    const end = (): void => {
      if (isAsked) process.exit(EXIT.cancelled);
      isAsked = true;
      if (working.atWork > 0)
        notify(
          `ending: calls under way may take ${DRAIN_MS / 1000} s, then other workers go on (once more ends at once)`,
        );
      resolve(working.drain(DRAIN_MS));
    };
    process.on('SIGINT', end);
    process.on('SIGTERM', end);
  });
}
