// cadre resume: resumes a run that was broken off, with the agent texts that it began with.

import { refusePinnedOnly } from '../../../engine/history/pinned-config.ts';
import { pinnedCadre, readAll, startOf } from '../../../engine/pinned.ts';
import { runEndOf } from '../../../journal/ending.ts';
import { fail } from '../../../kernel/fault.ts';
import { followOpened } from '../../follow.ts';
import { findWholeRun } from '../../lookup/find-run.ts';
import { type StoreOptions, storeHere } from '../../lookup/store-place.ts';
import { workspaces } from '../../lookup/workspace.ts';
import { openRun, type RunViewOptions } from '../../open-run.ts';
import { refuseRunNames } from '../../person/approved-beforehand.ts';

export async function resume(
  asked: string,
  options: RunViewOptions &
    StoreOptions & {
      /** Also uses what only the recorded cadre.yaml has. */
      readonly pinnedConfig?: boolean;
      /** Fences out another process that holds the run. */
      readonly takeOver?: boolean;
    },
): Promise<number> {
  const { place, store } = await storeHere(options);
  await refuseRunNames(options.approve, store);
  const run = await findWholeRun(asked, store);
  let recorded = await readAll(run, store);
  const start = startOf(recorded);
  const end = runEndOf(recorded);
  if (end !== undefined) {
    fail('run/finished', `Run ${run} has ended already: ${end.outcome.kind}. See it with: cadre show ${run}`);
  }
  const cadre = await pinnedCadre(start, store);
  if (options.pinnedConfig !== true) refusePinnedOnly(cadre, workspaces(start, options));
  if (options.takeOver === true) {
    await store.takeOver(run);
    recorded = await readAll(run, store); // the other process may have written until now
  }
  const opened = await openRun(cadre, { store, dir: place.dir }, options);
  try {
    await opened.engine.resume(run);
    return await followOpened(run, opened, { ...options, agent: start.agent, flag: place.flag, recorded });
  } finally {
    opened.view.finish();
    await opened.engine.close();
  }
}
