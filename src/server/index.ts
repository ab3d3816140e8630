// `cadre/server`: serves a folder of agents from a program.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folderConfig } from '../definition/read/config/folder-config.ts';
import { addressInConfig, addressNamed, folderOf, openStoreAt } from '../engine/store-address.ts';
import { memoryStore } from '../stores/memory.ts';
import type { CadreServer, ServeOptions } from './server-options.ts';

/** Serves the cadre of a folder, or all that lie below it. Rejects if it cannot listen, or without a token elsewhere. */
export async function serveCadre(folder: string, options: ServeOptions = {}): Promise<CadreServer> {
  const { store: given, log = warnProcess, ...more } = options;
  const { openServer } = await import('./open-server.ts');
  const opened = { ...more, log, ...(options.log && { note: options.log }), version: version() };
  if (given === 'memory') return openServer(folder, { ...opened, store: memoryStore() });
  if (typeof given === 'object') return openServer(folder, { ...opened, store: given });
  const config = folderConfig(folder);
  const { fsync } = config.store;
  const usual = addressNamed(join(folder, '.cadre'), fsync);
  const place = given === undefined ? (addressInConfig(config, resolve(folder)) ?? usual) : addressNamed(given, fsync);
  const store = await openStoreAt(place, log);
  const server = await openServer(folder, { ...opened, store, dir: folderOf(place) });
  const close = async (): Promise<void> => {
    await server.close();
    await store.close?.();
  };
  return { ...server, close };
}

const warnProcess = (text: string): void => process.emitWarning(text, 'CadreWarning');

/** The same way up from the source and from the built file. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

export type * from './protocol.ts';
export type { CadreServer, ServeOptions } from './server-options.ts';
