// cadre runs work: the process behind a run that was spawned from outside. Started by cadre runs spawn, never by hand.

import { assemble } from '../../engine/assemble.ts';
import { nobodyThere } from '../../engine/assembly.ts';
import type { RunHandle } from '../../engine/engine.ts';
import { localEngine, pinnedCadre, readAll } from '../../engine/local.ts';
import { fileMailbox } from '../../engine/mailbox.ts';
import { startOf } from '../../engine/replay.ts';
import { services } from '../../engine/services.ts';
import type { RunStore } from '../../journal/store.ts';
import { EXIT } from '../../kernel/fault.ts';
import { isAnswered, type RunOutcome } from '../../kernel/outcome.ts';
import { telemetryFor } from '../../telemetry/for-cadre.ts';
import { openStore, storeFromHere, type StoreOptions, type StorePlace } from '../store-place.ts';

export async function runsWork(run: string, options: StoreOptions): Promise<number> {
  const place = await storeFromHere(options);
  const store = openStore(place, () => {});
  const outcome = await workOn(run, store, place, (handle) => {
    process.once('SIGTERM', () => handle.cancel('Its process was asked to end (SIGTERM).'));
  });
  return isAnswered(outcome) ? EXIT.answered : EXIT.failed;
}

/** Takes a run up and sees it to its end. */
export async function workOn(
  run: string,
  store: RunStore,
  place: StorePlace,
  begun: (handle: RunHandle) => void,
): Promise<RunOutcome> {
  const pinned = await pinnedCadre(startOf(await readAll(run, store)), store);
  const telemetry = await telemetryFor(pinned, () => {});
  const engine = localEngine(pinned, {
    store,
    services,
    approve: nobodyThere,
    assemble: (cadre) => assemble(cadre, { store: place.dir }),
    pinned: async () => pinned,
    mailbox: fileMailbox(place.dir),
    warn() {},
    ...(telemetry && { observe: telemetry.watch }),
    now: Date.now,
  });
  try {
    const handle = await engine.resume(run);
    begun(handle);
    return await handle.outcome();
  } finally {
    await engine.close();
    await telemetry?.close();
  }
}
