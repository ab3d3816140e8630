// The place of runs: a folder, a database, or Restate. The one file that turns each into a store.

import { join, resolve } from 'node:path';
import type { CadreConfig } from '../definition/definition.ts';
import { readEnvironment, resolveTemplate } from '../definition/read/variables.ts';
import { checkedStore } from '../journal/checked-store.ts';
import type { RunId } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import { fail } from '../kernel/fault.ts';
import { fileStore } from '../stores/file/file-store.ts';
import { memoryStore } from '../stores/memory.ts';
import { isPostgresAddress, shownAddress } from '../stores/postgres/address.ts';
import { isRestateAddress, restateAddress } from '../stores/restate/address.ts';

export type StoreAddress =
  | { readonly kind: 'folder'; readonly dir: string; readonly fsync: 'never' | 'batch' }
  | { readonly kind: 'postgres'; readonly address: string }
  | { readonly kind: 'restate'; readonly address: string };

/** The place that a person or a program named: a folder, or an address. */
export function addressNamed(named: string, fsync: 'never' | 'batch' = 'never'): StoreAddress {
  if (isPostgresAddress(named)) {
    shownAddress(named); // throws for what is no address
    return { kind: 'postgres', address: named };
  }
  if (isRestateAddress(named)) return { kind: 'restate', address: restateAddress(named).shown };
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(named))
    fail('usage', `Runs can be kept in a folder, in postgres://… or in restate://…, not in ${named.split(':')[0]}://…`);
  return { kind: 'folder', dir: resolve(named), fsync };
}

/** The place in cadre.yaml. Undefined if it names none. */
export function addressInConfig({ store }: Pick<CadreConfig, 'store'>, folder: string): StoreAddress | undefined {
  if (store.url !== undefined) return addressNamed(resolveTemplate(store.url, readEnvironment(folder)), store.fsync);
  return store.dir === undefined ? undefined : { kind: 'folder', dir: store.dir, fsync: store.fsync };
}

/** The folder of a place that has one. The file tools do not show it, and other processes find the store by it. */
export const folderOf = (place: StoreAddress): string | undefined => (place.kind === 'folder' ? place.dir : undefined);

/** The place as people may read it: without a password. */
export function shownPlace(place: StoreAddress): string {
  switch (place.kind) {
    case 'folder':
      return place.dir;
    case 'postgres':
      return shownAddress(place.address);
    case 'restate':
      return place.address;
  }
}

/**
 * The store that a program names: a store, `memory`, the folder or the address of one; else what cadre.yaml says, else `.cadre`
 * in the folder. `close` closes a store that was opened here.
 */
export async function storeNamed(
  given: RunStore | string | undefined,
  cadre: () => { readonly config: Pick<CadreConfig, 'store'>; readonly folder: string },
  warn: (text: string) => void,
): Promise<{ readonly store: RunStore; readonly dir?: string | undefined; close?(): Promise<void> }> {
  if (given === 'memory') return { store: memoryStore() };
  if (typeof given === 'object') return { store: given };
  const { config, folder } = cadre();
  const { fsync } = config.store;
  const usual = addressNamed(join(folder, '.cadre'), fsync);
  const place = given === undefined ? (addressInConfig(config, folder) ?? usual) : addressNamed(given, fsync);
  const store = await openStoreAt(place, warn);
  return { store, dir: folderOf(place), close: async () => store.close?.() };
}

/** Opens the store of a place. Its code is loaded here, and the store is reached when it is first used. */
export async function openStoreAt(place: StoreAddress, warn: (text: string) => void): Promise<RunStore> {
  return checkedStore(await storeAt(place, warn), (run, seq) => eventPlace(place, run, seq));
}

async function storeAt(place: StoreAddress, warn: (text: string) => void): Promise<RunStore> {
  switch (place.kind) {
    case 'folder':
      return fileStore(place.dir, { fsync: place.fsync, warn });
    case 'postgres': {
      const { postgresStore } = await import('../stores/postgres/postgres-store.ts');
      return postgresStore(place.address, { warn });
    }
    case 'restate': {
      const { restateStore } = await import('../stores/restate/restate-store.ts');
      return restateStore(place.address, { warn });
    }
  }
}

function eventPlace(place: StoreAddress, run: RunId, seq: number): { readonly where: string; readonly wayOut: string } {
  if (place.kind !== 'folder')
    return { where: `Event ${seq} of run ${run}`, wayOut: 'Restore the store from a copy, or begin the run again.' };
  return {
    where: `${join(place.dir, 'runs', run, 'events.jsonl')}:${seq + 1}`,
    wayOut: 'Restore the file, or remove this line and all after it to go on from there.',
  };
}
