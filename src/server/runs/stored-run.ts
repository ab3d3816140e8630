// Waits until a run that was started can be read. Heads do not wait: they listen before the run says anything.

import type { RunId } from '../../journal/event.ts';
import type { ServerContext } from '../context.ts';

/**
 * A run's first event may wait for the turn of the loop to end. Its client is told of it only when it can be read. The
 * store is not asked: it looks at all of its runs before it says that one is not there.
 */
export async function storedRun(
  run: RunId,
  { engine, activity }: Pick<ServerContext, 'engine' | 'activity'>,
): Promise<void> {
  if (!engine.isAtWork(run) || activity.isRecorded(run)) return;
  await new Promise<void>((resolve) => {
    const come = (): void => {
      unwatch();
      resolve();
    };
    const unwatch = engine.watch(run, { event: come });
    engine.outcome(run).then(come, come);
  });
}
