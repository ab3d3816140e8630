// cadre runs: what has been run, newest first.

import type { RunStore } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { print, printJson, tell } from '../out.ts';
import * as amounts from '../render/amounts.ts';
import { runTable } from '../render/run-table.ts';
import { openStore, storeFromHere, type StoreOptions } from '../store-place.ts';
import { columnsOf } from '../terminal.ts';

export interface RunsOptions extends StoreOptions {
  readonly json?: boolean;
  readonly limit?: string;
  readonly sizes?: boolean;
}

const USUAL_LIMIT = 20;

export async function runs(options: RunsOptions): Promise<number> {
  const limit = limitOf(options.limit);
  const place = await storeFromHere(options);
  const store = openStore(place, tell);
  const found = await store.list({ limit: limit + 1 });
  const shown = found.slice(0, limit);
  if (options.json === true) {
    printJson(JSON.stringify(shown, null, 2));
    return 0;
  }
  if (shown.length === 0) {
    tell(`No runs in ${place.dir} yet. Start one with: cadre run <agent> <input>`);
    return 0;
  }
  const sizes = options.sizes === true;
  print(runTable(shown, Date.now(), { columns: columnsOf(process.stdout), sizes }).join('\n'));
  if (found.length > limit) tell(`There are more: --limit ${limit * 5}`);
  if (sizes) tell(await totalSizes(store));
  return 0;
}

async function totalSizes(store: RunStore): Promise<string> {
  const all = await store.list();
  const journals = all.reduce((sum, one) => sum + one.bytes, 0);
  const { kept, removed } = await store.collect({ before: Date.now(), dryRun: true });
  const blobs = `${amounts.plural(kept.count + removed.count, 'blob')}, ${amounts.bytes(kept.bytes + removed.bytes)}`;
  const unused = removed.count === 0 ? '' : ` (${amounts.bytes(removed.bytes)} used by no run: cadre runs prune)`;
  return `in all: ${amounts.plural(all.length, 'run')}, ${amounts.bytes(journals)}; ${blobs}${unused}`;
}

function limitOf(given: string | undefined): number {
  if (given === undefined) return USUAL_LIMIT;
  const limit = Number(given);
  if (!Number.isInteger(limit) || limit < 1) fail('usage', `--limit takes a whole number from 1 on, not "${given}".`);
  return limit;
}
