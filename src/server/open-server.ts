// Serves the agents of a folder over HTTP: opens the store and the engine, goes on with runs that were broken off,
// listens, and ends in order.

import type { AddressInfo } from 'node:net';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { namesOfGiven } from '../engine/assemble/given-providers.ts';
import { fromElsewhere } from '../engine/assembly.ts';
import { openEngine } from '../engine/open.ts';
import type { RunStore } from '../journal/store.ts';
import { fail } from '../kernel/fault.ts';
import { openApp } from './app.ts';
import { ownToken } from './auth/own-token.ts';
import { openTokens } from './auth/tokens.ts';
import { cachedModels } from './cadres/cached-models.ts';
import { openServedCadres } from './cadres/served-cadres.ts';
import type { Head, ServerContext } from './context.ts';
import { openRunFeeds } from './events/run-feeds.ts';
import { allHeads } from './heads/all-heads.ts';
import { openPage } from './page.ts';
import { rateLimit } from './rate-limit.ts';
import { ROUTES } from './routes/all-routes.ts';
import { openRunActivity } from './runs/activity.ts';
import { goOnWithRuns } from './runs/go-on.ts';
import { openRunStarter } from './runs/run-starter.ts';
import type { CadreServer, ServerOptions } from './server-options.ts';
import { settingsOf } from './settings.ts';

export interface OpenOptions extends ServerOptions {
  /** Where runs are kept. */
  readonly store: RunStore;
  /** The folder of the store, if it has one. The token is kept there. */
  readonly dir?: string | undefined;
  /** Protocols beside the API. Default: all that there are. */
  readonly heads?: readonly Head[];
  readonly version: string;
  log(text: string): void;
}

export interface OpenedServer extends CadreServer {
  readonly context: ServerContext;
}

export async function openServer(folder: string, options: OpenOptions): Promise<OpenedServer> {
  const { store, dir, tools = [], providers = {}, version, log } = options;
  const root = resolve(folder);
  const settings = settingsOf(root);
  const first = settings.now();
  const host = options.host ?? first.host;
  const token = tokenOf(options, host, dir ?? join(root, '.cadre'));
  const activity = openRunActivity();
  const now = Date.now;
  const feeds = openRunFeeds({
    store,
    isAtWork: (run) => engine.isAtWork(run),
    watchLive: (run, live) => engine.watch(run, { live }),
    log,
    now,
  });
  const engine = await openEngine(undefined, {
    store,
    dir,
    approve: fromElsewhere,
    tools,
    providers,
    observe(run, recorded) {
      const [one, other] = [activity.observe(run, recorded), feeds.observe(run)];
      return {
        event(event) {
          one.event?.(event);
          other.event?.(event);
        },
        live: (event) => other.live?.(event),
      };
    },
    ...(options.work && { work: options.work }),
    warn: log,
  });
  const load = { knownTools: tools.map(({ spec }) => spec.name), knownProviders: namesOfGiven(providers) };
  const cadres = await openServedCadres(root, { engine, load, log, now });
  if (options.work === 'workers' && store.fleet === undefined)
    fail('usage', 'Only a store in a database has workers: --store postgres://…');
  const runs = openRunStarter(engine, settings.now, options.work);
  const context: ServerContext = {
    engine,
    store,
    cadres,
    load,
    runs,
    beginning: new Map(),
    feeds,
    activity,
    models: cachedModels(cadres, now),
    settings: settings.now,
    folder: root,
    version,
    redact: (text) => cadres.all().reduce((told, one) => one.host?.assembly.secrets?.redact(told) ?? told, text),
    log,
    now,
  };
  const tokens = openTokens(token, first.tokens, root);
  let port = options.port ?? first.port;
  const heads = options.heads ?? allHeads(token);
  const app = await openApp({
    context,
    routes: ROUTES,
    heads,
    tokens: () => tokens,
    rate: rateLimit(() => settings.now().requestsPerMinute, now),
    host: () => host,
    cookie: () => `cadre-${port}`,
    page: await openPage(),
  });
  const { createAdaptorServer } = await import('@hono/node-server');
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: 20_000, requestTimeout: 120_000 },
  });
  await new Promise<void>((done, refuse) => {
    server.once('error', (thrown: NodeJS.ErrnoException) => refuse(listenFault(thrown, host, port)));
    server.listen(port, host, done);
  });
  port = (server.address() as AddressInfo).port;
  const going = goOnWithRuns(context);
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const closeNow = async (): Promise<void> => {
    feeds.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
    await engine.close();
  };
  let closing: Promise<void> | undefined;
  return {
    url,
    openUrl: token === undefined ? `${url}/` : `${url}/?token=${token}`,
    token,
    context,
    close() {
      if (closing !== undefined) return closeNow();
      closing = (async () => {
        runs.drain();
        await going;
        server.close();
        await closeNow();
      })();
      return closing;
    },
  };
}

const MAX_HEADER_BYTES = 16_384;

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** The token that requests need. Throws `usage` where none would leave the server open to others. */
function tokenOf({ token }: ServerOptions, host: string, dir: string): string | undefined {
  if (token === false) {
    if (isLoopback(host)) return undefined;
    fail('usage', `Without a token the server listens on this machine only, not on ${host}. Leave out --no-token.`);
  }
  if (token === undefined) return ownToken(dir);
  if (token.length < 16) fail('usage', `The token has ${token.length} characters. It needs at least 16.`);
  return token;
}

function listenFault({ code, message }: NodeJS.ErrnoException, host: string, port: number): Error {
  try {
    if (code === 'EADDRINUSE')
      fail('usage', `Another program listens on ${host}:${port}. Choose another one with --port, or 0 for a free one.`);
    if (code === 'EACCES') fail('usage', `This user may not listen on port ${port}. Choose one above 1023.`);
    return fail('usage', `The server cannot listen on ${host}:${port}: ${message}`);
  } catch (thrown) {
    return thrown as Error;
  }
}
