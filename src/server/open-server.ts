// Serves the agents of a folder over HTTP: opens the store and the engine, goes on with runs that were broken off,
// listens, and ends in order.

import type { Server } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openEngine, workedBy } from '../engine/open.ts';
import type { RunStore } from '../journal/store.ts';
import { fail, faultOf } from '../kernel/fault.ts';
import { fromElsewhere } from '../run/approver.ts';
import type { Watcher } from '../run/bus.ts';
import { namesOfHost } from '../run/host-program.ts';
import { forgetLogins } from './auth/login-key.ts';
import { openRights } from './auth/rights.ts';
import { keptSecret } from './auth/secret-file.ts';
import { MIN_TOKEN } from './auth/tokens.ts';
import { cachedModels } from './cached-models.ts';
import type { ServerContext } from './context.ts';
import { drain } from './drain.ts';
import { openRunFeeds } from './events/run-feeds.ts';
import { openServerStream } from './events/server-stream.ts';
import { allHeads } from './heads/all-heads.ts';
import { isLoopback, startListening } from './listen.ts';
import { openPage } from './page.ts';
import { rateLimit } from './rate-limit.ts';
import { refusalLog } from './refusal-log.ts';
import { ROUTES } from './routes/all-routes.ts';
import { openApp } from './routes/app.ts';
import { RunActivity } from './run-activity.ts';
import { RunStarter } from './run-starter.ts';
import { goOnWithRuns } from './runs/go-on.ts';
import { runLog } from './runs/run-log.ts';
import { ServedCadres } from './served-cadres.ts';
import type { CadreServer, ServerOptions } from './server-options.ts';
import { ServerTests } from './server-tests.ts';
import { settingsOf } from './settings.ts';
import { watchFiles } from './watch-files.ts';

export interface OpenOptions extends ServerOptions {
  /** The store of the runs. */
  readonly store: RunStore;
  /** The folder of the store, if it has one. The token is kept there. */
  readonly dir?: string | undefined;
  /** Ends all log-ins of the page first. */
  readonly forgetLogins?: boolean;
  readonly version: string;
  /** Gets a line for each problem, and one when log-ins were ended. */
  log(text: string): void;
  /** Gets a line for each run that begins and ends, and for each request that is refused. */
  note?(text: string): void;
  /** The number of log lines that could not be written. */
  lostLines?(): number;
}

export interface OpenedServer extends CadreServer {
  readonly context: ServerContext;
}

const LOGINS_ENDED =
  'All log-ins of the page have ended, also at servers of this store that run: these need no restart. ' +
  'To log in again, open the address that cadre serve prints.';

export async function openServer(folder: string, options: OpenOptions): Promise<OpenedServer> {
  const { store, dir, tools = [], providers = {}, version, log, note = ignore, lostLines = () => 0 } = options;
  const root = resolve(folder);
  const settings = settingsOf(root);
  const { host = settings.now().host, port: asked = settings.now().port } = options;
  const secrets = dir ?? join(root, '.cadre');
  const token = tokenOf(options, host, secrets);
  if (options.forgetLogins === true) {
    forgetLogins(secrets);
    log(LOGINS_ENDED); // before the address is asked for: a server of this store may have it, and need not end
  }
  const now = Date.now;
  const { engine, activity, changes, feeds } = await openWatchedEngine(options);
  const load = namesOfHost({ tools, providers, patterns: [] });
  const cadres = new ServedCadres(root, { engine, load, log, now });
  await cadres.reload();
  if (options.work === 'workers' && store.fleet === undefined)
    fail('usage', 'Only a store that machines share has workers: --store postgres://… or restate://…');
  const runs = new RunStarter(engine, settings.now, {
    work: workedBy(store, options.work),
    over: (run) => activity.forget(run),
  });
  let port = asked;
  const address = (): string => `${host}:${port}`;
  const rights = openRights({ token, settings: settings.now, folder: root, dir: secrets, address, log, now });
  const context: ServerContext = {
    engine,
    store,
    cadres,
    load,
    runs,
    tests: new ServerTests({ store, runs, folder: root, log, now }),
    beginning: new Map(),
    feeds,
    changes,
    activity,
    accesses: rights.accesses,
    models: cachedModels(cadres, now),
    settings: settings.now,
    folder: root,
    version,
    redact: (text) => cadres.all().reduce((told, one) => one.host?.secrets?.redact(told) ?? told, text),
    log,
    lostLines,
    now,
  };
  const app = await openApp({
    ...rights,
    context,
    refused: refusalLog({ note, redact: context.redact }),
    routes: ROUTES,
    heads: allHeads(token),
    rate: rateLimit(() => settings.now().requestsPerMinute, now),
    host: () => host,
    cookie: () => `cadre-${port}`,
    page: await openPage(),
  });
  store.uploads.sweep().catch((thrown: unknown) => log(`Old uploads could not be removed: ${faultOf(thrown).message}`));
  const listening = await startListening(app, host, asked);
  ({ port } = listening);
  const { server, url } = listening;
  const reload = async (): Promise<void> => {
    settings.reload();
    rights.reload();
    await cadres.reload();
  };
  const files = watchFiles(root, () => {
    reload().catch((thrown: unknown) => log(`Files could not be read again: ${faultOf(thrown).message}`));
  });
  return {
    url,
    openUrl: token === undefined ? `${url}/` : `${url}/?token=${token}`,
    token,
    context,
    close: endOnce(context, {
      server,
      going: goOnWithRuns(context),
      closeReaders() {
        files.close();
        rights.close();
        changes.close();
        feeds.close();
      },
    }),
  };
}

const ignore = (): void => {};

/** The engine of a server, with those who watch its runs: the activity, the feeds of single runs and the server's stream. */
async function openWatchedEngine({ store, dir, tools = [], providers = {}, work, log, note = ignore }: OpenOptions) {
  const activity = new RunActivity();
  const changes = openServerStream(log);
  const feeds = openRunFeeds({
    store,
    isAtWork: (run) => engine.isAtWork(run),
    watchLive: (run, live) => engine.watch(run, { live }),
    log,
    now: Date.now,
  });
  const engine = await openEngine(undefined, {
    store,
    dir,
    approve: fromElsewhere,
    tools,
    providers,
    canSuspend: true,
    observe: (run, recorded) =>
      together([
        activity.observe(run, recorded),
        feeds.observe(run),
        changes.observe(run),
        runLog(note, run, recorded),
      ]),
    ...(work && { work }),
    warn: log,
  });
  return { engine, activity, changes, feeds };
}

/** Ends a server in order: its runs, then those who read them, then connections and the engine. A second call hurries it. */
function endOnce(
  { runs, tests, engine, activity, settings, log }: ServerContext,
  {
    server,
    going,
    closeReaders,
  }: {
    readonly server: Server;
    /** Settles when the broken-off runs go on. */
    readonly going: Promise<unknown>;
    closeReaders(): void;
  },
): () => Promise<void> {
  const hurry = new AbortController();
  const end = async (): Promise<void> => {
    await going;
    await drain({ runs, tests, engine, activity, graceMs: settings().graceMs, hurry: hurry.signal, log });
    closeReaders();
    runs.closesConnections = true;
    await closed(server, hurry.signal);
    await engine.close();
  };
  let ending: Promise<void> | undefined;
  return () => {
    if (ending !== undefined) hurry.abort();
    ending ??= end();
    return ending;
  };
}

/** The time that connections get at the end: answers of a moment ago are on their way to clients. */
const LAST_WORDS_MS = 200;

async function closed(server: Server, hurry: AbortSignal): Promise<void> {
  const allGone = new AbortController();
  server.close(() => allGone.abort());
  const signal = AbortSignal.any([allGone.signal, hurry]);
  await setTimeout(LAST_WORDS_MS, undefined, { signal }).catch(() => {}); // not waited for any longer
  server.closeAllConnections();
}

function together(watchers: readonly Watcher[]): Watcher {
  return {
    event(event) {
      for (const one of watchers) one.event?.(event);
    },
    live(event) {
      for (const one of watchers) one.live?.(event);
    },
  };
}

/** The token that requests need. Throws `usage` where none would leave the server open to others. */
function tokenOf({ token }: ServerOptions, host: string, dir: string): string | undefined {
  if (token === false) {
    if (isLoopback(host)) return undefined;
    fail('usage', `Without a token the server listens on this machine only, not on ${host}. Leave out --no-token.`);
  }
  if (token === undefined) return keptSecret(join(dir, 'server-token'));
  if (token.length < MIN_TOKEN)
    fail('usage', `The token has ${token.length} characters. It needs at least ${MIN_TOKEN}.`);
  return token;
}
