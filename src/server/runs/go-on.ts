// Goes on with broken-off runs when a server starts: those of its cadres, oldest first, its own and those of other
// processes that have died. A run that cannot go on stays as it is, and the log says why.

import { refusePinnedOnly } from '../../engine/history/pinned-config.ts';
import { pinnedCadre, startOfRun } from '../../engine/pinned.ts';
import { faultOf } from '../../kernel/fault.ts';
import type { ServerContext } from '../context.ts';
import type { ResumeRun } from '../protocol.ts';

/** Runs that are looked for: more than a server can have at work. */
const MOST = 100_000;

/** Settles when all of them are at work, or wait for their turn. */
export async function goOnWithRuns(context: ServerContext): Promise<number> {
  const { store, runs, cadres, log } = context;
  const broken = await store.list({ state: 'broken-off', limit: MOST });
  let count = 0;
  for (const { run, folder, queued } of broken.toReversed()) {
    if (runs.isDraining) break;
    if (queued === true) continue; // a worker takes it
    if (cadres.ofFolder(folder) === undefined) continue;
    try {
      await goOnWith(run, context);
      count++;
    } catch (thrown) {
      const { code, message } = faultOf(thrown);
      if (code !== 'run/locked' && code !== 'run/finished') log(`Run ${run} cannot go on: ${message}`);
    }
  }
  return count;
}

/** Configuration that only the store holds is not used: whoever can write to the store could have put it there. */
export async function goOnWith(
  run: string,
  { store, runs, load }: ServerContext,
  { takeOver, pinnedConfig }: ResumeRun = {},
): Promise<void> {
  if (pinnedConfig !== true) {
    const start = await startOfRun(run, store);
    refusePinnedOnly(await pinnedCadre(start, store, load), { recorded: start.workspace });
  }
  await runs.resume(run, { ...(takeOver !== undefined && { takeOver }) });
}
