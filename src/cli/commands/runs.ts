// cadre runs: what has been run, newest first.

import { fail } from '../../kernel/fault.ts';
import { runTable } from '../render/run-table.ts';
import { openStore, storeFromHere, type StoreOptions } from '../store-place.ts';
import { columnsOf } from '../terminal.ts';

export interface RunsOptions extends StoreOptions {
  readonly json?: boolean;
  readonly limit?: string;
}

const USUAL_LIMIT = 20;

export async function runs(options: RunsOptions): Promise<number> {
  const limit = limitOf(options.limit);
  const place = await storeFromHere(options);
  const store = await openStore(place, (text) => process.stderr.write(`${text}\n`));
  const found = await store.list({ limit: limit + 1 });
  const shown = found.slice(0, limit);
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    return 0;
  }
  if (shown.length === 0) {
    process.stderr.write(`No runs in ${place.dir} yet. Start one with: cadre run <agent> <input>\n`);
    return 0;
  }
  process.stdout.write(`${runTable(shown, Date.now(), columnsOf(process.stdout)).join('\n')}\n`);
  if (found.length > limit) process.stderr.write(`There are more: --limit ${limit * 5}\n`);
  return 0;
}

function limitOf(given: string | undefined): number {
  if (given === undefined) return USUAL_LIMIT;
  const limit = Number(given);
  if (!Number.isInteger(limit) || limit < 1) fail('usage', `--limit takes a whole number from 1 on, not "${given}".`);
  return limit;
}
