// `cadre/server`: serves a folder of agents from a program.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { folderConfig } from '../definition/read/config/folder-config.ts';
import { storeNamed } from '../engine/store-address.ts';
import type { CadreServer, ServeOptions } from './server-options.ts';

/** Serves the cadre of a folder, or all that lie below it. Rejects if it cannot listen, or without a token elsewhere. */
export async function serveCadre(folder: string, options: ServeOptions = {}): Promise<CadreServer> {
  const { store: given, log = warnProcess, ...more } = options;
  const { openServer } = await import('./open-server.ts');
  const opened = { ...more, log, ...(options.log && { note: options.log }), version: version() };
  const named = await storeNamed(given, () => ({ config: folderConfig(folder), folder: resolve(folder) }), log);
  const server = await openServer(folder, { ...opened, store: named.store, dir: named.dir });
  const close = async (): Promise<void> => {
    await server.close();
    await named.close?.();
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
