// The context of every route and every head of the server: the engine and its store, the cadres that are served, and
// the ways to start and follow runs. One for each server.

import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { ServerConfig } from '../definition/definition.ts';
import type { AssemblyOptions } from '../definition/link/assemble.ts';
import type { Engine } from '../engine/engine.ts';
import type { RunId } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import type { Fault } from '../kernel/fault.ts';
import type { Watcher } from '../run/bus.ts';
import type { Accesses, CallerAccess } from './access.ts';
import type { Address } from './address.ts';
import type { Caller } from './caller.ts';
import type { ModelInfo, StartedRun } from './protocol.ts';
import type { RunActivity } from './run-activity.ts';
import type { RunStarter } from './run-starter.ts';
import type { ServedCadres } from './served-cadres.ts';
import type { ServerTests } from './server-tests.ts';

export interface ServerContext {
  readonly engine: Engine;
  readonly store: RunStore;
  readonly cadres: ServedCadres;
  /** Names of tools and providers that the program hands in, for reading agents. */
  readonly load: AssemblyOptions;
  /** Starts runs within the limits of the server. */
  readonly runs: RunStarter;
  /** Runs tests within the same limits. */
  readonly tests: ServerTests;
  /** Runs that are being begun with an `Idempotency-Key`, by key: two requests at once are one. */
  readonly beginning: Map<string, Promise<StartedRun>>;
  /** Follows runs for any number of readers. */
  readonly feeds: RunFeeds;
  /** Tells what changes anywhere. */
  readonly changes: ServerStream;
  readonly activity: RunActivity;
  /** The rights of requests that are being answered. */
  readonly accesses: Pick<Accesses, 'watch'>;
  /** The models that each agent would use, and their readiness. */
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
  /** The number of log lines that could not be written. */
  lostLines(): number;
  now(): number;
}

export interface RunFeeds {
  /** Watches a run that the process itself works on. */
  observe(run: RunId): Watcher;
  /**
   * Sends the events of a run from a sequence number on, as server-sent events, until `lost` is aborted. `over`: there is
   * nothing more to send, ever, and nothing was sent. Rejects with `run/unknown`.
   */
  read(run: RunId, from: number, outgoing: ServerResponse, lost: AbortSignal): Promise<'sending' | 'over'>;
  /** The number of open streams. */
  readonly readers: number;
  close(): void;
}

/** Tells readers of lists about changes anywhere. */
export interface ServerStream {
  /** A run of this process: something has happened in it. */
  observe(run: RunId): Watcher;
  /** Something beside the journal of a run has changed. */
  changed(run: RunId): void;
  read(access: CallerAccess, outgoing: ServerResponse, context: ServerContext): void;
  close(): void;
}

/** The request of Node, and its sender: Hono's handlers find them here. */
export interface ServerEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: {
    caller: Caller;
    access: CallerAccess;
    /** Told of a refusal that the protocol answers as a success of HTTP. */
    refused: (code: number, message: string) => void;
    requestId: string;
    /** The origin of another front end that asks (ORIGIN-3). */
    front: string;
  };
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
