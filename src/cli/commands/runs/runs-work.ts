// cadre runs work: the process behind a run that works without a terminal. Started by cadre run --detach and cadre runs
// spawn, never by hand. A call that needs a person waits for cadre approve.

import { fromElsewhere } from '../../../engine/assembly.ts';
import type { RunHandle } from '../../../engine/engine.ts';
import { pinnedCadre, readAll } from '../../../engine/history/pinned.ts';
import { startOf } from '../../../engine/history/replay.ts';
import { openEngine } from '../../../engine/open.ts';
import type { RunStore } from '../../../journal/store.ts';
import { EXIT } from '../../../kernel/fault.ts';
import { isAnswered, type RunOutcome } from '../../../kernel/outcome.ts';
import { openStore, type StoreOptions, type StorePlace, storeFromHere } from '../../named/store-place.ts';

export async function runsWork(run: string, options: StoreOptions): Promise<number> {
  const place = await storeFromHere(options);
  const store = await openStore(place, () => {});
  const outcome = await workOn(run, store, place, (handle) => {
    process.once('SIGTERM', () => handle.interrupt('cancel', 'Its process was asked to end (SIGTERM).'));
  });
  return isAnswered(outcome) ? EXIT.answered : EXIT.failed;
}

/** Resumes a run and follows it to its end. */
export async function workOn(
  run: string,
  store: RunStore,
  { dir }: StorePlace,
  begun: (handle: RunHandle) => void = () => {},
): Promise<RunOutcome> {
  const pinned = await pinnedCadre(startOf(await readAll(run, store)), store);
  const engine = await openEngine(pinned, { store, dir, approve: fromElsewhere, warn() {} });
  try {
    await engine.resume(run);
    const handle = engine.handle(run);
    begun(handle);
    return await handle.outcome();
  } finally {
    await engine.close();
  }
}
