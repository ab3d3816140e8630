// cadre mcp: the agents of a folder as tools of an MCP server on stdin and stdout, for the editor or assistant that started
// it. Ends when the client closes stdin, and on SIGTERM and Ctrl+C.

import { resolve } from 'node:path';
import { loadCadres } from '../../definition/load.ts';
import { folderConfig } from '../../definition/read/config/folder-config.ts';
import { EXIT, fail } from '../../kernel/fault.ts';
import { openStore, type StoreOptions, storeOfFolder } from '../lookup/store-place.ts';
import { goOnWithoutReader, logLine } from '../screen/lost-lines.ts';
import { notify } from '../screen/output.ts';
import { personHere } from '../screen/reader.ts';
import { guardStdout } from '../screen/stdout-guard.ts';

export async function mcp(folder: string, options: StoreOptions, version: () => string): Promise<number> {
  goOnWithoutReader(); // of stderr; a client that reads stdout no more has closed stdin
  const stdout = guardStdout();
  const place = storeOfFolder(options, { config: folderConfig(folder), folder: resolve(folder) });
  const store = await openStore(place, notify);
  const { openStdioMcp } = await import('../../server/heads/mcp/stdio.ts');
  const server = await openStdioMcp(folder, {
    store,
    dir: place.dir,
    version: version(),
    person: personHere() ?? 'owner',
    stdin: process.stdin,
    stdout,
    log: logLine,
  });
  const names = server.agents();
  if (names.length === 0) {
    await server.close();
    await loadCadres(folder); // says why not, with every finding
    fail('agent/unreadable', `${folder} has no agents.`);
  }
  notify(`${folder} offers: ${names.join(', ')}`);
  if (server.hasErrors())
    notify(`Files have errors, and agents that need them are left out. See: cadre check ${folder}`);
  await clientGone();
  await server.close();
  await store.close?.();
  return EXIT.answered;
}

function clientGone(): Promise<void> {
  return new Promise((gone) => {
    for (const event of ['end', 'close', 'error']) process.stdin.once(event, () => gone());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => gone());
  });
}
