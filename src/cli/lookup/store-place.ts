// The place of runs: --store or CADRE_STORE (a folder or an address), else the one in cadre.yaml, else the nearest
// .cadre folder from here upward, else a new one here.

import { dirname, join, relative, resolve } from 'node:path';
import { foreignText, mayBeUsed, readRegularText } from '../../base/disk/regular.ts';
import { shownWord } from '../../base/text/shell-words.ts';
import { type CadreDefinition, CONFIG_FILE, workspaceOf } from '../../definition/definition.ts';
import { folderConfig } from '../../definition/read/config/folder-config.ts';
import { MAX_FILE_BYTES } from '../../definition/read/folder.ts';
import {
  addressInConfig,
  addressNamed,
  folderOf,
  openStoreAt,
  type StoreAddress,
  shownPlace,
} from '../../engine/store-address.ts';
import type { RunStore } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { USUAL_RESTATE } from '../../stores/restate/address.ts';
import { notify } from '../screen/output.ts';
import { isFile, isFolder, statsOf } from './stats.ts';

export interface StoreOptions {
  readonly store?: string;
  /** `restate`: the store is one in Restate. */
  readonly engine?: string;
}

export interface StorePlace {
  readonly at: StoreAddress;
  /** Its folder, if it has one. */
  readonly dir: string | undefined;
  /** The place as people may read it. */
  readonly shown: string;
  /** The option by which a later command finds the same store: empty, or ` --store <place>`. */
  readonly flag: string;
}

/** The store of a command about an agent: the configuration of its cadre counts. */
export function storeOfCadre(
  options: StoreOptions,
  { config, folder }: Pick<CadreDefinition, 'config' | 'folder'>,
): StorePlace {
  const { fsync } = config.store;
  const at = byEngine(options, named(options, fsync) ?? addressInConfig(config, folder)) ?? nearby(fsync);
  return placeOf(at, flagFor(at, options));
}

/**
 * The store of a command that another program starts, from any folder: the nearest .cadre from the cadre's folder
 * upward counts.
 */
export function storeOfFolder(
  options: StoreOptions,
  { config, folder }: Pick<CadreDefinition, 'config' | 'folder'>,
): StorePlace {
  const { fsync } = config.store;
  const dir = upward('.cadre', isFolder, folder) ?? join(folder, '.cadre');
  const at = byEngine(options, named(options, fsync) ?? addressInConfig(config, folder));
  return placeOf(at ?? { kind: 'folder', dir, fsync }, '');
}

/** The store of a command about runs: the nearest cadre.yaml from here upward counts. */
export function storeFromHere(options: StoreOptions): StorePlace {
  const at = byEngine(options, named(options) ?? configuredHere()) ?? nearby('never');
  const isFoundAgain = options.store === undefined && options.engine === undefined;
  return placeOf(at, isFoundAgain ? '' : flagFor(at, options));
}

/** The folder of the nearest cadre.yaml from a folder upward. */
export function configFolder(from?: string): string | undefined {
  const file = upward(CONFIG_FILE, isFile, from === undefined ? process.cwd() : resolve(from));
  return file === undefined ? undefined : dirname(file);
}

/** The workspace that the nearest cadre.yaml from here upward names, if there is one. */
export function workspaceFromHere(): string | undefined {
  const folder = configFolder();
  return folder === undefined ? undefined : workspaceOf({ folder, config: folderConfig(folder) });
}

export async function openStore({ at }: StorePlace, warn: (text: string) => void): Promise<RunStore> {
  if (at.kind === 'folder' && statsOf(at.dir)?.isDirectory() === false) {
    fail('usage', `${at.dir} is not a folder, so it cannot hold runs. Name another one with --store.`);
  }
  return openStoreAt(at, warn);
}

/** The store of a command about runs, opened. */
export async function storeHere(
  options: StoreOptions,
): Promise<{ readonly place: StorePlace; readonly store: RunStore }> {
  const place = storeFromHere(options);
  return { place, store: await openStore(place, notify) };
}

const placeOf = (at: StoreAddress, flag: string): StorePlace => ({
  at,
  dir: folderOf(at),
  shown: shownPlace(at),
  flag,
});

const named = ({ store }: StoreOptions, fsync: 'never' | 'batch' = 'never'): StoreAddress | undefined => {
  const given = store ?? process.env['CADRE_STORE'];
  return given === undefined || given === '' ? undefined : addressNamed(given, fsync);
};

/** `--engine restate` takes what is said about a store in Restate, else the server of this machine. */
function byEngine({ engine, store }: StoreOptions, place: StoreAddress | undefined): StoreAddress | undefined {
  if (engine === undefined) return place;
  if (engine !== 'restate') fail('usage', `--engine takes "restate", not "${engine}". Leave it out to work here.`);
  if (place?.kind === 'restate') return place;
  if (store !== undefined && place !== undefined)
    fail(
      'usage',
      `--engine restate keeps runs in Restate, and not in --store ${shownPlace(place)}. Write --store restate://host:8080.`,
    );
  return addressNamed(USUAL_RESTATE);
}

const nearby = (fsync: 'never' | 'batch'): StoreAddress => ({ kind: 'folder', dir: nearbyFolder(), fsync });

function nearbyFolder(): string {
  return upward('.cadre', isFolder) ?? resolve('.cadre');
}

const told = new Set<string>();

/** Another user's store or configuration above this folder is not used, and a notice says so once. */
function isUsable(path: string, from: string): boolean {
  if (dirname(path) === from || mayBeUsed(path)) return true;
  if (!told.has(path)) notify(foreignText(path));
  told.add(path);
  return false;
}

function upward(name: string, suits: (path: string) => boolean, from = process.cwd()): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, name);
    if (suits(path) && isUsable(path, from)) return path;
    if (dirname(folder) === folder) return undefined;
  }
}

function configuredHere(): StoreAddress | undefined {
  const folder = configFolder();
  if (folder === undefined) return undefined;
  const text = readRegularText(join(folder, CONFIG_FILE), { maxBytes: MAX_FILE_BYTES });
  // spares the YAML parser
  return /^store\s*:/m.test(text) ? addressInConfig(folderConfig(folder), folder) : undefined;
}

/** An address is shown without its password, which whoever reads the hint has to fill in again. */
function flagFor(at: StoreAddress, options: StoreOptions): string {
  if (options.store === undefined && options.engine !== undefined) return ` --engine ${options.engine}`;
  if (options.store === undefined && process.env['CADRE_STORE'] !== undefined) return '';
  if (at.kind !== 'folder') return options.store === undefined ? '' : ` --store ${shownWord(shownPlace(at))}`;
  return at.dir === nearbyFolder() ? '' : ` --store ${shownWord(relative('', at.dir) || '.')}`;
}
