// cadre worker: takes runs of a store that were left to the workers, until it is asked to end.

import { resolve as absolute } from 'node:path';
import { loadCadre } from '../../agents/load.ts';
import { openWorker, type Worker } from '../../engine/fleet/worker.ts';
import { labelOf } from '../../engine/label.ts';
import { agentIn } from '../../engine/request.ts';
import { EXIT, fail } from '../../kernel/fault.ts';
import { openStore, type StoreOptions, storeOfCadre } from '../named/store-place.ts';
import { tell } from '../screen/out.ts';

export interface WorkerCommandOptions extends StoreOptions {
  readonly most?: string;
  readonly agents?: string;
  readonly label?: readonly string[];
  readonly name?: string;
  readonly anyConfig?: boolean;
  readonly workspace?: string;
}

const USUAL_MOST = 50;
/** How long calls under way may take when the worker is asked to end. */
const DRAIN_MS = 30_000;

export async function worker(folder: string, options: WorkerCommandOptions): Promise<number> {
  const { label = [], name, anyConfig = false, workspace } = options;
  const cadre = await loadCadre(absolute(folder));
  const place = storeOfCadre(options, cadre);
  if (place.at.kind === 'folder')
    fail('usage', 'A worker needs a store that machines share: --store postgres://…, or CADRE_STORE.');
  const store = await openStore(place, tell);
  const agents = options.agents?.split(',').map((one) => agentIn(cadre, one.trim()).name);
  for (const one of label) labelOf({ label: one });
  const most = mostOf(options.most);
  const working = await openWorker({
    store,
    cadre,
    ...(name !== undefined && { name }),
    labels: label,
    most,
    ...(agents && { agents }),
    anyConfig,
    ...(workspace !== undefined && { workspace: absolute(workspace) }),
    log: tell,
  });
  tell(`worker ${working.name} takes runs of ${place.shown}, at most ${most} at a time; Ctrl+C ends it`);
  await untilAsked(working);
  await store.close?.();
  return EXIT.answered;
}

function mostOf(given: string | undefined): number {
  if (given === undefined) return USUAL_MOST;
  const most = Number(given);
  if (!Number.isInteger(most) || most < 1) fail('usage', `--most takes a whole number from 1 on, not "${given}".`);
  return most;
}

/** Settles when the worker has let go of its runs. A second request ends the process at once. */
function untilAsked(working: Worker): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false;
    const end = (): void => {
      if (isAsked) process.exit(EXIT.cancelled);
      isAsked = true;
      if (working.atWork > 0)
        tell(
          `ending: calls under way may take ${DRAIN_MS / 1000} s, then other workers go on (once more ends at once)`,
        );
      resolve(working.drain(DRAIN_MS));
    };
    process.on('SIGINT', end);
    process.on('SIGTERM', end);
  });
}
