// A worker of Restate: an address at which Restate hands it runs, and a second one that says whether it is well.
// As with every worker, agent texts come from the record of a run, and everything else from the worker's own folder.

import { createServer as createHealth } from 'node:http';
import { createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { hostname } from 'node:os';
import { type CadreDefinition, workspaceOf } from '../../definition/definition.ts';
import type { RunId } from '../../journal/event.ts';
import { FaultError, fail, fault, faultOf } from '../../kernel/fault.ts';
import { fromElsewhere } from '../../run/approver.ts';
import { replyText } from '../../stores/restate/client.ts';
import type { RestateStore } from '../../stores/restate/restate-store.ts';
import { acceptedRun, existingFolder, WORKER_IDLE_MS } from '../fleet/worker.ts';
import { newMessage } from '../handle.ts';
import { openEngine } from '../open.ts';
import { startOf } from '../pinned.ts';
import { RunAttempts, type RunDriver } from './attempt.ts';
import { cellsObject, liveObject, runObject, watchedObject } from './objects.ts';
import { loadSdk } from './sdk.ts';
import { workLoop } from './work-loop.ts';

export interface WorkerAddress {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

interface RestateWorkerOptions {
  readonly store: RestateStore;
  readonly cadre: CadreDefinition;
  readonly name?: string;
  readonly anyConfig: boolean;
  readonly workspace?: string;
  /** The address that Restate, or the proxy before the workers, connects to. */
  readonly listen: WorkerAddress;
  /** The address at which the proxy asks if it is well. */
  readonly health: WorkerAddress;
  /** The public keys of the Restate servers that may use it. Empty: whoever can connect. */
  readonly identityKeys: readonly string[];
  log(text: string): void;
}

const CLOCK_MS = 60_000;

export async function openRestateWorker(options: RestateWorkerOptions) {
  const { store, cadre, anyConfig, log } = options;
  const { client } = store;
  await client.reach();
  const clock = setInterval(() => void client.reach().catch(() => {}), CLOCK_MS).unref(); // whoever needs it says so
  const name = options.name ?? `${hostname()}:${process.pid}`;
  const workspace = existingFolder(options.workspace ?? workspaceOf(cadre));
  const attempts = new RunAttempts();
  const engine = await openEngine(cadre, {
    store: attempts.storeOver(store),
    work: 'here',
    idleMs: WORKER_IDLE_MS,
    approve: fromElsewhere,
    ...(options.workspace !== undefined && { workspace: options.workspace }),
    resumed: (start) => acceptedRun(start, engine, { folder: cadre.folder, workspace, anyConfig }),
    warn: log,
  });
  let isDraining = false;
  const noted = new Set<RunId>();
  const driver: RunDriver = {
    async begin(run, recorded) {
      if (isDraining) fail('run/taken-over', 'This worker ends.');
      try {
        if (!anyConfig) await engine.own?.resources.ready?.(startOf(recorded).agent);
        await engine.resume(run);
      } catch (thrown) {
        if (!noted.has(run)) log(`run ${run} cannot go on here: ${faultOf(thrown).message}`);
        noted.add(run); // Restate tries again, here or elsewhere
        throw thrown;
      }
    },
    over: (run) => engine.outcome(run),
    stop: (run) => engine.suspend(run, 0),
    cancel: (run) =>
      engine.control(run, { ...newMessage({ kind: 'cancel', reason: 'Cancelled in Restate.' }), id: 'restate' }),
  };

  const sdk = await loadSdk();
  const { createEndpointHandler } = sdk;
  const { identityKeys } = options;
  const server = createServer(
    createEndpointHandler({
      services: [
        runObject(sdk, workLoop(sdk, attempts, driver)),
        cellsObject(sdk),
        liveObject(sdk),
        watchedObject(sdk),
      ],
      ...(identityKeys.length > 0 && { identityKeys: [...identityKeys] }),
      logger: ({ level }, ...words) => {
        if (level === 'error' && !isDraining) log(words.map(String).join(' ').slice(0, 500));
      },
    }),
  );
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const health = createHealth((request, response) => {
    response.statusCode = request.url !== '/health' ? 404 : isDraining ? 503 : 200;
    response.end();
  });
  const [port, healthPort] = [await listening(server, options.listen), await listening(health, options.health)];

  return {
    name,
    port,
    healthPort,
    get atWork(): number {
      return attempts.runs().length;
    },
    /** Tells Restate the address of the workers. */
    async register(uri: string): Promise<void> {
      const response = await client.admin('/deployments', {
        method: 'POST',
        body: JSON.stringify({ uri, force: true }), // the steps of an invocation do not depend on the release
      });
      if (response.ok) return;
      const why = replyText(response).slice(0, 500);
      fail('store/unreachable', `Restate does not take ${uri} as the address of its workers: ${why}`);
    },
    /** Takes no more runs, lets calls under way end within this time, and lets go of what it has. */
    async drain(withinMs: number): Promise<void> {
      isDraining = true;
      clearInterval(clock);
      server.close();
      for (const session of sessions) session.close(); // what is under way may end, and nothing new comes
      await Promise.all(attempts.runs().map((run) => engine.suspend(run, withinMs)));
      for (const session of sessions) session.destroy();
      await engine.close();
      health.close();
      health.closeAllConnections();
    },
  };
}

function listening(server: Server, { host, port }: WorkerAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (thrown) =>
      reject(new FaultError(fault('usage', `This worker cannot listen at ${host}:${port}: ${thrown.message}`))),
    );
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}
