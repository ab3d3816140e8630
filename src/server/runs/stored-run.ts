// Waits until a run that was started can be read. Heads do not wait: they listen before the run says anything.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OpenedEngine } from '../../engine/open.ts';
import type { RunId } from '../../journal/event.ts';
import { FaultError } from '../../kernel/fault.ts';

/** A run's first event may wait for the turn of the loop to end. Its client is told of it only when it can be read. */
export async function storedRun(run: RunId, engine: Pick<OpenedEngine, 'summary'>): Promise<void> {
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    try {
      await engine.summary(run);
      return;
    } catch (thrown) {
      if (!(thrown instanceof FaultError) || thrown.fault.code !== 'run/unknown') throw thrown;
      await nextTurn();
    }
  }
}

const MOST_TURNS = 1000;
