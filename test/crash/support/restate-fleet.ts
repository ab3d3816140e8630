// Two workers of a real Restate as processes of their own, behind one address, that can be killed and stopped.

import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { replyText } from '../../../src/stores/restate/client.ts';
import { type RestateStore, restateStore } from '../../../src/stores/restate/restate-store.ts';
import { built } from '../../support/dist.ts';
import { freePort } from '../../support/free-port.mjs';
import { type Backend, type H2Proxy, h2Proxy } from '../../support/h2-proxy.ts';
import { type RestateServer, restateServer } from '../../support/restate.ts';

const CLOCK = fileURLToPath(new URL('../fixtures/shifted-clock.mjs', import.meta.url));

export interface RestateWorkerProcess {
  readonly child: ChildProcess;
  said(): string;
  readonly gone: Promise<void>;
}

export interface RestateFleet {
  readonly server: RestateServer;
  readonly store: RestateStore;
  /** Starts the worker of this place, 0 or 1, on a folder. Settles when it takes runs. */
  begin(place: number, folder: string, clockMs?: number): Promise<RestateWorkerProcess>;
  kill(place: number, signal?: NodeJS.Signals): Promise<void>;
  /** The worker of this place. */
  at(place: number): RestateWorkerProcess | undefined;
  /** Settles when so many workers are well. */
  well(count: number): Promise<void>;
  killAll(): Promise<void>;
  close(): Promise<void>;
}

export async function restateFleet(): Promise<RestateFleet> {
  const server = await restateServer();
  const store = restateStore(server.url, { warn() {} });
  const places: readonly Backend[] = [
    { port: await freePort(), healthPort: await freePort() },
    { port: await freePort(), healthPort: await freePort() },
  ];
  const proxy: H2Proxy = await h2Proxy(places);
  const workers: (RestateWorkerProcess | undefined)[] = [];
  let isRegistered = false;

  const well = async (count: number): Promise<void> => {
    while (proxy.well < count) await setTimeout(20);
  };
  const kill = async (place: number, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const worker = workers[place];
    workers[place] = undefined;
    worker?.child.kill(signal);
    await worker?.gone;
  };
  const killAll = async (): Promise<void> => {
    for (const { child } of workers.filter((one) => one !== undefined)) child.kill('SIGCONT');
    for (const place of places.keys()) await kill(place);
  };
  return {
    server,
    store,
    kill,
    killAll,
    well,
    at: (place) => workers[place],
    async begin(place, folder, clockMs) {
      const worker = started(places[place] as Backend, { folder, store: server.url, clockMs });
      workers[place] = worker;
      await worker.ready;
      if (!isRegistered) {
        isRegistered = true;
        await well(1);
        const body = JSON.stringify({ uri: proxy.url });
        const answer = await store.client.admin('/deployments', { method: 'POST', body });
        if (!answer.ok) throw new Error(`Restate does not take the proxy: ${replyText(answer)}`);
      }
      return worker;
    },
    async close() {
      await killAll();
      await proxy.close();
      await store.close();
      await server.close();
    },
  };
}

interface Setting {
  readonly folder: string;
  readonly store: string;
  readonly clockMs: number | undefined;
}

function started(
  { port, healthPort }: Backend,
  { folder, store, clockMs }: Setting,
): RestateWorkerProcess & { readonly ready: Promise<void> } {
  const before = clockMs === undefined ? [] : ['--import', pathToFileURL(CLOCK).href];
  const ports = ['--listen', String(port), '--health', String(healthPort)];
  const args = [...before, built('cli/main.js'), 'worker', folder, '--restate', ...ports];
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      NO_COLOR: '1',
      CADRE_STORE: store,
      ...(clockMs !== undefined && { CADRE_TEST_CLOCK_MS: String(clockMs) }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  let isReady = (): void => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.includes('takes runs of')) isReady();
  });
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      isReady();
      resolve();
    });
  });
  return { child, said: () => text, ready, gone };
}
