// The run that a person names by its id, the beginning of it or "last", where the word may not be a run at all.

import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { FaultError } from '../../kernel/fault.ts';

export async function runIfNamed(name: string, store: RunStore): Promise<RunId | undefined> {
  try {
    return await store.find(name);
  } catch (thrown) {
    if (thrown instanceof FaultError && thrown.fault.code === 'run/unknown') return undefined;
    throw thrown;
  }
}
