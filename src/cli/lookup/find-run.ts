// The run that a person names: by its id, a unique beginning of it, its label, or `last`.

import { findRun } from '../../engine/remote/start-after.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import { runOf } from '../../kernel/spawned.ts';
import { type StoreOptions, storeHere } from './store-place.ts';

export async function findWholeRun(asked: string, store: RunStore): Promise<RunId> {
  const { run } = await findRun(asked, store);
  if (run === runOf(run)) return run;
  return fail('usage', `${run} was spawned by run ${runOf(run)}, and is part of it. Name that run.`);
}

/** The run that a person names in the store of a command about runs. */
export async function runHere(asked: string, options: StoreOptions) {
  const here = await storeHere(options);
  return { ...here, run: await findWholeRun(asked, here.store) };
}

/** Undefined where the word may not be a run at all. */
export async function runIfNamed(name: string, store: RunStore): Promise<RunId | undefined> {
  try {
    return await store.find(name);
  } catch (thrown) {
    if (thrown instanceof FaultError && thrown.fault.code === 'run/unknown') return undefined;
    throw thrown;
  }
}
