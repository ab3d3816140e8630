// What every route and every head of the server gets: the engine and its store, the cadres that are served, and the
// ways to start and follow runs. One for each server.

import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { ServerConfig } from '../definition/definition.ts';
import type { LoadOptions } from '../definition/load.ts';
import type { Engine } from '../engine/engine.ts';
import type { RunId } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import type { Fault } from '../kernel/fault.ts';
import type { Watcher } from '../run/bus.ts';
import type { Accesses, CallerAccess } from './access.ts';
import type { Address } from './address.ts';
import type { ServedCadres } from './cadres/served-cadres.ts';
import type { Caller } from './caller.ts';
import type { RunFeeds } from './events/run-feeds.ts';
import type { ModelInfo, StartedRun } from './protocol.ts';
import type { RunActivity } from './runs/activity.ts';
import type { RunStarter } from './runs/run-starter.ts';

export interface ServerContext {
  readonly engine: Engine;
  readonly store: RunStore;
  readonly cadres: ServedCadres;
  /** Names of tools and providers that the program hands in, for reading agents. */
  readonly load: LoadOptions;
  /** Starts runs within the limits of the server. */
  readonly runs: RunStarter;
  /** Runs that are being begun with an `Idempotency-Key`, by key: two requests at once are one. */
  readonly beginning: Map<string, Promise<StartedRun>>;
  /** Follows runs for any number of readers. */
  readonly feeds: RunFeeds;
  /** Tells what changes anywhere. */
  readonly changes: ServerStream;
  readonly activity: RunActivity;
  /** The rights of requests that are being answered. */
  readonly accesses: Pick<Accesses, 'watch'>;
  /** What each agent would use, and whether it is ready. */
  models(): Promise<readonly ModelInfo[]>;
  /** `server` of cadre.yaml as it is now. */
  settings(): ServerConfig;
  /** Absolute: the folder that is served, for texts that must not tell where it is. */
  readonly folder: string;
  readonly version: string;
  /** Takes the secrets of all served cadres out of a text. */
  redact(text: string): string;
  /** Writes a line to the server's log. */
  log(text: string): void;
  /** How many lines of the log could not be written. */
  lostLines(): number;
  now(): number;
}

/** What changes anywhere, for those who look at lists. */
export interface ServerStream {
  /** A run of this process: something has happened in it. */
  observe(run: RunId): Watcher;
  read(access: CallerAccess, outgoing: ServerResponse, context: ServerContext): void;
  close(): void;
}

/** What Hono's handlers find: the request of Node, and who sent it. */
export interface ServerEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: { caller: Caller; access: CallerAccess; requestId: string };
}

export type ServerApp = Hono<ServerEnv>;
export type ServerCall = Context<ServerEnv>;

/** An address of a head. Its protocol says what stands in a body, so the head reads it. */
export interface HeadRoute extends Address {
  /** Undefined: the response has been sent. */
  answer(call: ServerCall, context: ServerContext): Promise<Response | undefined>;
}

/**
 * A protocol that other programs speak, on the same agents. Its requests have passed the checks of the server: host,
 * origin, token, rate, size, and the permission of its route. The head checks which agents the caller may use.
 */
export interface Head {
  readonly name: string;
  /** The addresses that are its own, as in `/v1`. */
  readonly paths: readonly string[];
  readonly routes: readonly HeadRoute[];
  /** An error in the form of its protocol. */
  problem(fault: Fault, context: ServerContext): Response;
}
