// cadre worker: works on runs that were left to the workers of a store, until it is asked to end.

import { resolve as absolute } from 'node:path';
import type { CadreDefinition } from '../../definition/definition.ts';
import { loadCadre } from '../../definition/load.ts';
import { openWorker } from '../../engine/fleet/worker.ts';
import { agentIn, labelOf } from '../../engine/request.ts';
import { EXIT, fail } from '../../kernel/fault.ts';
import { openStore, type StoreOptions, type StorePlace, storeOfCadre } from '../lookup/store-place.ts';
import { COUNT, wholeNumber } from '../lookup/whole-number.ts';
import { goOnWithoutReader, logLine } from '../screen/lost-lines.ts';
import { notify } from '../screen/output.ts';
import { untilAsked } from './worker-end.ts';
import type { RestateWorkerCommandOptions } from './worker-restate.ts';

export interface WorkerCommandOptions extends StoreOptions, RestateWorkerCommandOptions {
  readonly most?: string;
  readonly agents?: string;
  readonly label?: readonly string[];
  readonly name?: string;
  readonly anyConfig?: boolean;
  readonly workspace?: string;
  /** Short for `engine: 'restate'`. */
  readonly restate?: boolean;
}

const USUAL_MOST = 50;

export async function worker(folder: string, options: WorkerCommandOptions): Promise<number> {
  goOnWithoutReader();
  const cadre = await loadCadre(absolute(folder));
  const asked = options.restate === true ? { ...options, engine: 'restate' } : options;
  const place = storeOfCadre(asked, cadre);
  const { at } = place;
  if (at.kind === 'folder')
    fail('usage', 'A worker needs a store that machines share: --store postgres://… or restate://…, or CADRE_STORE.');
  if (at.kind === 'restate') {
    refuseOptions(options, ['most', 'agents', 'label'], 'Restate decides which worker gets which run');
    const { restateWorker } = await import('./worker-restate.ts');
    return restateWorker(cadre, at.address, place, options);
  }
  refuseOptions(options, ['listen', 'health', 'register', 'identityKey'], 'it is for a worker of Restate (--restate)');
  return databaseWorker(cadre, place, options);
}

/** An option that cannot be honoured is refused by its name. */
function refuseOptions(
  options: WorkerCommandOptions,
  names: readonly (keyof WorkerCommandOptions)[],
  why: string,
): void {
  for (const name of names)
    if (options[name] !== undefined)
      fail('usage', `--${name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)} cannot be used here: ${why}.`);
}

async function databaseWorker(
  cadre: CadreDefinition,
  place: StorePlace,
  options: WorkerCommandOptions,
): Promise<number> {
  const { label = [], name, anyConfig = false, workspace } = options;
  const store = await openStore(place, notify);
  const agents = options.agents?.split(',').map((one) => agentIn(cadre, one.trim()).name);
  for (const one of label) labelOf({ label: one });
  const most = options.most === undefined ? USUAL_MOST : wholeNumber('--most', options.most, COUNT);
  const working = await openWorker({
    store,
    cadre,
    ...(name !== undefined && { name }),
    labels: label,
    most,
    ...(agents && { agents }),
    anyConfig,
    ...(workspace !== undefined && { workspace: absolute(workspace) }),
    log: logLine,
  });
  notify(`worker ${working.name} takes runs of ${place.shown}, at most ${most} at a time; Ctrl+C ends it`);
  await untilAsked(working);
  await store.close?.();
  return EXIT.answered;
}
