// A real Restate server for tests. One for each process of the test run that asks for it; what it keeps is removed between
// tests. The server goes with the process.

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { loadCadre } from '../../src/definition/load.ts';
import { openRestateWorker } from '../../src/engine/restate/worker.ts';
import { restateStore } from '../../src/stores/restate/restate-store.ts';
import { openInvocations } from '../../src/stores/restate/state.ts';
import { CELLS, LIVE, RUN, WATCHED_RUNS } from '../../src/stores/restate/wire.ts';
import { type OrderedServer, orderedServer } from './ordered-server.ts';

/** The reason why the server cannot run on this machine; undefined if it can. Tests are skipped with this reason. */
export const noRestate: string | undefined = (() => {
  try {
    const packages = createRequire(createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json'));
    execFileSync(packages.resolve(`@restatedev/restate-server-${platform()}-${arch()}/bin/restate-server`), [
      '--version',
    ]);
    return undefined;
  } catch (thrown) {
    return `Restate has no server for ${platform()}-${arch()} here: ${(thrown as Error).message}`;
  }
})();

export interface RestateServer extends OrderedServer {
  readonly url: string;
  /** All that it writes is in there, and goes with it. */
  readonly folder: string;
}

/** A server for one test that stops it. `settings` are variables of its environment, as `NAME=value`. */
export async function restateServer(settings: readonly string[] = []): Promise<RestateServer> {
  const { first, ...server } = await orderedServer('./restate-server.mjs', settings);
  return { ...server, url: first['url'] ?? '', folder: first['folder'] ?? '' };
}

let shared: Promise<RestateServer> | undefined;

/** The server of this process. Tests that stop it take one of their own. */
export const sharedRestate = (): Promise<RestateServer> => (shared ??= restateServer());

/** A worker in this process, on free ports, that Restate hands its runs to from now on. */
export async function restateWorker(
  url: string,
  folder: string,
  options: Partial<Parameters<typeof openRestateWorker>[0]> = {},
) {
  const store = restateStore(url, { warn() {} });
  const worker = await openRestateWorker({
    store,
    cadre: await loadCadre(folder),
    anyConfig: false,
    listen: { host: '127.0.0.1', port: 0 },
    health: { host: '127.0.0.1', port: 0 },
    identityKeys: [],
    log() {},
    ...options,
  });
  await worker.register(`http://127.0.0.1:${worker.port}`);
  const close = async (): Promise<void> => {
    await worker.drain(0);
    await store.close();
  };
  return Object.assign(worker, { close });
}

/** Removes all that the server keeps of Cadre. A worker must be there. */
export async function emptied(url: string): Promise<void> {
  const store = restateStore(url, { warn() {} });
  const { client } = store;
  for (const { id } of await openInvocations(client))
    await client.admin(`/invocations/${id}/kill`, { method: 'PATCH' });
  const services = [RUN, CELLS, LIVE, WATCHED_RUNS].map((name) => `'${name}'`).join(', ');
  const kept = await client.query<{ service_name: string; service_key: string }>(
    `select distinct service_name, service_key from state where service_name in (${services})`,
  );
  await Promise.all(kept.map((one) => client.text([one.service_name, one.service_key, 'forget'], '', { once: true })));
  await store.close();
}
