// cadre worker --restate: an address at which Restate hands this process runs.
// Whoever can connect to that address can make this process run agents, with its keys. So beyond this machine it takes
// only what a server signed whose public key it was given.

import { isIP } from 'node:net';
import { resolve as absolute } from 'node:path';
import type { CadreDefinition } from '../../definition/definition.ts';
import { openRestateWorker, type WorkerAddress } from '../../engine/restate/worker.ts';
import { EXIT, fail } from '../../kernel/fault.ts';
import { restateStore } from '../../stores/restate/restate-store.ts';
import type { StorePlace } from '../lookup/store-place.ts';
import { notify } from '../screen/output.ts';
import { untilAsked } from './worker-end.ts';

export interface RestateWorkerCommandOptions {
  readonly name?: string;
  readonly anyConfig?: boolean;
  readonly workspace?: string;
  readonly listen?: string;
  readonly health?: string;
  /** `true` for the address that it listens on. */
  readonly register?: string | true;
  readonly identityKey?: readonly string[];
}

const LISTEN = '127.0.0.1:9080';
const HEALTH = '127.0.0.1:9081';

export async function restateWorker(
  cadre: CadreDefinition,
  address: string,
  place: StorePlace,
  options: RestateWorkerCommandOptions,
): Promise<number> {
  const { name, anyConfig = false, workspace, register, identityKey: identityKeys = [] } = options;
  const listen = addressIn('--listen', options.listen ?? LISTEN);
  const health = addressIn('--health', options.health ?? HEALTH);
  if (!isLoopback(listen.host) && identityKeys.length === 0)
    fail(
      'usage',
      `--listen ${listen.host} is open to other machines, and whoever connects could make this worker run agents. Give it the public key of the server: --identity-key publickeyv1_… (Restate writes it into its log when it has a key).`,
    );
  const store = restateStore(address, { warn: notify });
  const working = await openRestateWorker({
    store,
    cadre,
    ...(name !== undefined && { name }),
    anyConfig,
    ...(workspace !== undefined && { workspace: absolute(workspace) }),
    listen,
    health,
    identityKeys,
    log: notify,
  });
  if (register !== undefined)
    await working.register(register === true ? `http://${listen.host}:${working.port}` : register);
  notify(
    `worker ${working.name} takes runs of ${place.shown} at ${listen.host}:${working.port}, health at ${health.host}:${working.healthPort}; Ctrl+C ends it`,
  );
  await untilAsked(working);
  await store.close();
  return EXIT.answered;
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** `host:port`, or a port of this machine. */
function addressIn(option: string, given: string): WorkerAddress {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(given) ?? [];
  if (port === '' || Number(port) > 65_535)
    fail('usage', `${option} takes a port, or an address and a port, not "${given}".`);
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
