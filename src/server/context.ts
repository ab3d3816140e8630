// The context of every route and every head of the server: the engine and its store, the cadres that are served, and
// the ways to start and follow runs. One for each server.

import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { FoundFile } from '../agent-tests/find-tests.ts';
import type { SuiteBound } from '../agent-tests/suite-bound.ts';
import type { TestChoice } from '../agent-tests/test-command.ts';
import type { AgentDefinition, ServerConfig } from '../definition/definition.ts';
import type { AssemblyOptions } from '../definition/link/assemble.ts';
import type { CadreReading } from '../definition/load.ts';
import type { RunRequest } from '../engine/contract.ts';
import type { Engine } from '../engine/engine.ts';
import type { RunEvent, RunId } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import type { Fault } from '../kernel/fault.ts';
import type { Watcher } from '../run/bus.ts';
import type { LoadedCadre } from '../run/loaded-cadre.ts';
import type { Accesses, CallerAccess } from './access.ts';
import type { Address } from './address.ts';
import type { Caller } from './caller.ts';
import type { ModelInfo, ShownDiagnostic, StartedRun } from './protocol.ts';

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

export interface ServedCadre {
  /** The prefix of its agents' names; empty if it is the only one. */
  readonly prefix: string;
  /** Absolute. */
  readonly folder: string;
  /** The files as they are now. */
  readonly reading: CadreReading;
  /** The cadre that new runs are started with. Undefined if no reading could be used. */
  readonly host: LoadedCadre | undefined;
  /** The last reading without errors, for the agents that have errors now. */
  readonly before: LoadedCadre | undefined;
  readonly readAt: number;
  /** The stamp of the files beside the texts that decide how agents run. */
  readonly stamp: string;
}

export interface ServedAgent {
  /** The name in requests, with the prefix of its cadre. */
  readonly name: string;
  readonly agent: AgentDefinition;
  readonly served: ServedCadre;
  readonly host: LoadedCadre;
  /** `outdated`: its files have errors, and it runs as it was before. */
  readonly state: 'ready' | 'outdated';
}

export interface ServedCadres {
  all(): readonly ServedCadre[];
  /** Every agent that can be started. */
  agents(): readonly ServedAgent[];
  /** Finds an agent by its name with the prefix of its cadre, or without if that is unique. Throws `agent/unknown`. */
  agent(asked: string): ServedAgent;
  /** The cadre of a folder, as runs name it. */
  ofFolder(folder: string): ServedCadre | undefined;
  /** Reads the files again. True if something has changed. */
  reload(): Promise<boolean>;
  /** Called after a reload that changed something, until the returned function is called. */
  watch(changed: () => void): () => void;
  diagnostics(): readonly ShownDiagnostic[];
}

export interface RunActivity {
  observe(run: RunId, recorded: readonly RunEvent[]): Watcher;
  /** Nothing in it is at work: it waits for a person, or for its turn. */
  isIdle(run: RunId): boolean;
  /** Its first event is in the store. */
  isRecorded(run: RunId): boolean;
  /** The run is over, or another process works on it. */
  forget(run: RunId): void;
  /** `front-desk: thinking`. Undefined if the run is not at work here. */
  of(run: RunId): string | undefined;
}

export interface RunStarter {
  /** The workers of the runs that are started and resumed. */
  readonly work: 'here' | 'workers';
  /** Throws `server/busy`, `server/draining`, and what the engine throws. */
  start(
    agent: ServedAgent,
    request: Omit<RunRequest, 'agent'>,
    options?: { readonly run?: RunId },
  ): Promise<{
    readonly run: RunId;
    /** `waiting`: it begins when its turn comes. */
    readonly state: 'running' | 'waiting';
  }>;
  /** Takes up a run that was broken off. It may have to wait for its turn. */
  resume(run: RunId, options?: { readonly takeOver?: boolean }): Promise<void>;
  /**
   * Takes a turn for work that is no run of the engine. Throws `server/draining`, and for new work `server/busy` if the
   * line is full.
   */
  takeTurn(what: 'new' | 'resumed'): RunTurn;
  readonly atWork: number;
  readonly waiting: number;
  /** The runs that this process works on, those that wait for their turn among them. */
  left(): readonly RunId[];
  /** Settles when there are none. */
  settled(): Promise<void>;
  readonly isDraining: boolean;
  /** Starts nothing from now on. */
  drain(): void;
  /**
   * Says that the server closes connections itself from now on: a client whose connection ends has not left its run.
   */
  closeConnections(): void;
  readonly closesConnections: boolean;
}

/** One of the places for work at the same time. */
export interface RunTurn {
  /** Settles when the turn has come. Undefined: it has come already. */
  readonly come: Promise<void> | undefined;
  /** The run is over, or was not begun. */
  release(): void;
}

/** Tests that may be started. */
export interface TestPlan {
  readonly choice: TestChoice;
  readonly files: readonly FoundFile[];
  readonly bound: SuiteBound;
}

export interface ServerTests {
  /** Gives the id of the result, which is in the store by then. Throws `server/busy` and `server/draining`. */
  start(plan: TestPlan): Promise<string>;
  /** Ends tests: cases at work are cancelled, those that have not begun are skipped. False if they are not at work here. */
  cancel(id: string): boolean;
  /** Ends all, and settles when what was done is kept. */
  close(): Promise<void>;
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
