// cadre runs work: the process behind a run that works without a terminal. Started by cadre run --detach and cadre runs
// spawn, never by hand. A call that needs a person waits for cadre approve.

import { openEngine } from '../../../engine/open.ts';
import { pinnedCadre, readAll, startOf } from '../../../engine/pinned.ts';
import { EXIT } from '../../../kernel/fault.ts';
import { isAnswered } from '../../../kernel/outcome.ts';
import { fromElsewhere } from '../../../run/approver.ts';
import { openStore, type StoreOptions, storeFromHere } from '../../lookup/store-place.ts';

export async function runsWork(run: string, options: StoreOptions): Promise<number> {
  const place = storeFromHere(options);
  const store = await openStore(place, () => {});
  const pinned = await pinnedCadre(startOf(await readAll(run, store)), store);
  const engine = await openEngine(pinned, { store, dir: place.dir, approve: fromElsewhere, warn() {} });
  try {
    await engine.resume(run);
    const handle = engine.handle(run);
    process.once('SIGTERM', () => handle.interrupt('cancel', 'Its process was asked to end (SIGTERM).'));
    return isAnswered(await handle.outcome()) ? EXIT.answered : EXIT.failed;
  } finally {
    await engine.close();
  }
}
