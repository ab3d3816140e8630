// Where runs are kept: --store or CADRE_STORE, else what cadre.yaml says, else the nearest .cadre folder from here
// upward, else a new one here.

import { dirname, join, relative, resolve } from 'node:path';
import type { CadreConfig } from '../../agents/definition.ts';
import { foreignText, mayBeUsed, readRegularText } from '../../disk/regular.ts';
import type { RunStore } from '../../journal/store.ts';
import { fileStore } from '../../journal/stores/file.ts';
import { fail } from '../../kernel/fault.ts';
import { tell } from '../screen/out.ts';
import { isFile, isFolder, statsOf } from './stats.ts';

export interface StoreOptions {
  readonly store?: string;
}

export interface StorePlace {
  readonly dir: string;
  readonly fsync: 'never' | 'batch';
  /** What a later command needs to find the same store: empty, or ` --store <dir>`. */
  readonly flag: string;
}

/** For a command about an agent, the configuration of its cadre counts. */
export function storeOfCadre(options: StoreOptions, config: CadreConfig): StorePlace {
  const { dir, fsync } = config.store;
  const place = named(options) ?? dir ?? nearby();
  return { dir: place, fsync, flag: flagFor(place, options) };
}

/** For a command about runs, the nearest cadre.yaml from here upward counts. */
export async function storeFromHere(options: StoreOptions): Promise<StorePlace> {
  const given = named(options);
  const config = given === undefined ? await configFromHere() : undefined;
  const dir = given ?? config?.store.dir ?? nearby();
  return { dir, fsync: config?.store.fsync ?? 'never', flag: '' };
}

export function openStore({ dir, fsync }: StorePlace, warn: (text: string) => void): RunStore {
  if (statsOf(dir)?.isDirectory() === false) {
    fail('usage', `${dir} is not a folder, so it cannot hold runs. Name another one with --store.`);
  }
  return fileStore(dir, { fsync, warn });
}

const named = ({ store }: StoreOptions): string | undefined => {
  const given = store ?? process.env['CADRE_STORE'];
  return given === undefined || given === '' ? undefined : resolve(given);
};

function nearby(): string {
  return upward('.cadre', isFolder) ?? resolve('.cadre');
}

const told = new Set<string>();

/** Another user's store or configuration above this folder is not used, and a notice says so once. */
function isUsable(path: string): boolean {
  if (dirname(path) === process.cwd() || mayBeUsed(path)) return true;
  if (!told.has(path)) tell(foreignText(path));
  told.add(path);
  return false;
}

function upward(name: string, suits: (path: string) => boolean): string | undefined {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const path = join(folder, name);
    if (suits(path) && isUsable(path)) return path;
    if (dirname(folder) === folder) return undefined;
  }
}

const MAX_FILE_BYTES = 1_048_576;

async function configFromHere(): Promise<CadreConfig | undefined> {
  const file = upward('cadre.yaml', isFile);
  if (file === undefined) return undefined;
  const text = readRegularText(file, { maxBytes: MAX_FILE_BYTES });
  if (!/^store\s*:/m.test(text)) return undefined; // spares the YAML parser
  const { readConfig } = await import('../../agents/read/config.ts');
  return readConfig({ file: 'cadre.yaml', text }, dirname(file), () => {}).config;
}

function flagFor(dir: string, options: StoreOptions): string {
  if (options.store === undefined && process.env['CADRE_STORE'] !== undefined) return '';
  return dir === nearby() ? '' : ` --store ${relative('', dir) || '.'}`;
}
