// cadre fork: a new run that takes over the beginning of another one and goes on live from an op, with other
// models, texts or budget, or the agents of another folder, if asked.

import type { CadreDefinition } from '../../../definition/definition.ts';
import { forkRun, type RunFork, unlessUnused } from '../../../engine/history/fork.ts';
import { refusePinnedOnly } from '../../../engine/history/pinned-config.ts';
import { pinnedCadre, readAll, startOf } from '../../../engine/pinned.ts';
import type { RunStart } from '../../../journal/event.ts';
import type { RunStore } from '../../../journal/store.ts';
import { fail } from '../../../kernel/fault.ts';
import { followOpened } from '../../follow.ts';
import { findAgent } from '../../lookup/find-agent.ts';
import { findWholeRun } from '../../lookup/find-run.ts';
import { type StoreOptions, type StorePlace, storeHere } from '../../lookup/store-place.ts';
import { workspaceFrom, workspaces } from '../../lookup/workspace.ts';
import { type OpenedStore, openRun, type RunViewOptions } from '../../open-run.ts';
import { refuseRunNames } from '../../person/approved-beforehand.ts';
import { notify } from '../../screen/output.ts';
import { type ForkChangeOptions, readForkChanges } from './fork-changes.ts';

export interface ForkCommandOptions extends RunViewOptions, StoreOptions, ForkChangeOptions {
  readonly at?: string;
  readonly agentDir?: string;
  /** Also uses what only the recorded cadre.yaml has. */
  readonly pinnedConfig?: boolean;
}

export async function fork(asked: string, options: ForkCommandOptions): Promise<number> {
  const { at, agentDir } = options;
  if (at === undefined) fail('usage', 'Say from where: --at <op>. `cadre show --ledger` lists the ops of model calls.');
  const changes = await readForkChanges(options);
  const { place, store } = await storeHere(options);
  await refuseRunNames(options.approve, store);
  const run = await findWholeRun(asked, store);
  const start = startOf(await readAll(run, store));
  const workspace = workspaceFrom(options);
  const cadre = await cadreFor(start, agentDir, store);
  if (agentDir === undefined && options.pinnedConfig !== true) refusePinnedOnly(cadre, workspaces(start, options));
  const texts = agentDir === undefined ? 'pinned' : 'other';
  const forked = await forkRun(
    { run, at, ...changes, ...(workspace !== undefined && { workspace }) },
    { store, cadre, texts, now: Date.now },
  );
  if (options.quiet !== true && options.json !== true) {
    notify(`forked ${run} at ${at}: ${forked.events} events taken over, continues as ${forked.run}`);
  }
  return goOn(forked, { ...place, store }, options);
}

async function goOn(
  forked: RunFork,
  { store, dir, flag }: OpenedStore & Pick<StorePlace, 'flag'>,
  options: ForkCommandOptions,
): Promise<number> {
  const { run, cadre } = forked;
  const recorded = await readAll(run, store);
  const opened = await openRun(cadre, { store, dir }, options);
  try {
    return await unlessUnused(forked, store, async () => {
      await opened.engine.resume(run);
      return await followOpened(run, opened, { ...options, agent: startOf(recorded).agent, flag, recorded });
    });
  } finally {
    opened.view.finish();
    await opened.engine.close();
  }
}

async function cadreFor(start: RunStart, dir: string | undefined, store: RunStore): Promise<CadreDefinition> {
  if (dir !== undefined) return (await findAgent(start.agent, dir)).cadre;
  return pinnedCadre(start, store);
}
