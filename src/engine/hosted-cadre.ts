// A cadre that an engine starts runs of. An engine may host several at the same time, and replace one by a newer
// reading of its files: runs that are at work keep what they began with.
// HOST-1. What was opened for a cadre is closed once it is retired and its last run has ended, and not before.

import { type CadreDefinition, workspaceOf } from '../agents/definition.ts';
import { type Digest, EVENT_VERSION, type RunId, type RunStart } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import { fail } from '../kernel/fault.ts';
import type { RunObserver, RunTurn } from '../run/active-run.ts';
import type { CadreAssembly } from '../run/resources.ts';
import { redactedValue } from '../secrets/redacted-value.ts';
import type { RunRequest } from './engine.ts';
import { pinTexts } from './history/pinned.ts';
import { newRunId } from './run-id.ts';
import { withHistory } from './threads/history.ts';

/** It is raised when a release would do something else on the same record. */
export const KERNEL_REVISION = 2;

/** An assembly that is closed when nothing uses it any more. */
export interface SharedAssembly {
  readonly assembly: CadreAssembly;
  readonly isClosed: boolean;
  /** Keeps it open until the returned function is called. */
  use(): () => void;
  /** Nothing new will use it. Settles when it is closed. */
  retire(): Promise<void>;
  /** Closes it now. */
  close(): Promise<void>;
}

/** It stays open for `idleMs` after its last use: the next run may come soon. */
export function sharedAssembly(assembly: CadreAssembly, gone: () => void = () => {}, idleMs = 0): SharedAssembly {
  let users = 0;
  let idle: NodeJS.Timeout | undefined;
  let isRetired = false;
  let closing: Promise<void> | undefined;
  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const close = (): Promise<void> => {
    clearTimeout(idle);
    closing ??= assembly.close().finally(settle);
    gone();
    return closing;
  };
  const closeUnused = (): void => {
    if (!isRetired || users > 0 || closing !== undefined) return;
    const end = (): void => void close().catch(() => {}); // whoever closes the engine gets the failure
    if (idleMs === 0) end();
    else idle = setTimeout(end, idleMs).unref();
  };
  return {
    assembly,
    get isClosed() {
      return closing !== undefined;
    },
    use() {
      users++;
      clearTimeout(idle);
      return () => {
        users--;
        closeUnused(); // HOST-1
      };
    },
    async retire() {
      isRetired = true;
      closeUnused();
      await settled;
    },
    close,
  };
}

interface Pinned {
  readonly at: number;
  readonly digests: Readonly<Record<string, Digest>>;
}

/** Shorter than what a prune leaves alone because it is new. */
const PINNED_MS = 600_000;

export interface StartOptions {
  /** The id of the new run. Default: one that is made of the time. */
  readonly run?: RunId;
  /** The run is recorded at once, and begins its work when its turn has come. */
  readonly turn?: RunTurn;
}

export interface HostedCadre {
  readonly definition: CadreDefinition;
  readonly assembly: CadreAssembly;
  start(request: RunRequest, options?: StartOptions): Promise<RunId>;
  /** Stores a run without working on it. The process that resumes it works on it. */
  prepare(request: RunRequest): Promise<RunId>;
  /** Stores a run and leaves it to the workers of the store. */
  submit(request: RunRequest, run?: RunId): Promise<RunId>;
  /** It starts nothing any more. Settles when its last run has ended and what it had opened is closed. */
  retire(): Promise<void>;
}

export interface HostParts {
  readonly store: RunStore;
  readonly shared: SharedAssembly;
  readonly observe?: RunObserver | undefined;
  /** What the caller wants the tools to be rooted at, if not what the configuration says. */
  readonly workspace?: string | undefined;
  now(): number;
  /** Who works on what is started. Default: this process. */
  readonly by?: 'here' | 'workers' | undefined;
  /** Stores a run and leaves it to the workers. */
  submit(start: RunStart): Promise<void>;
  /** Works on a run that was just begun. */
  work(begun: BegunHere): void;
}

export interface BegunHere {
  readonly start: Omit<RunStart, 'seq' | 'at'>;
  readonly lease: Awaited<ReturnType<RunStore['claim']>>;
  readonly shared: SharedAssembly;
  readonly observe?: RunObserver | undefined;
  readonly turn?: RunTurn | undefined;
}

export function hostedCadre(definition: CadreDefinition, parts: HostParts): HostedCadre {
  const { store, shared, observe } = parts;
  const { assembly } = shared;
  let texts: Pinned | undefined;
  /** Put again now and then: a prune removes texts that no run has named for long. */
  const pin = async (): Promise<Pinned> => (texts = { at: Date.now(), digests: await pinTexts(assembly.cadre, store) });
  let isRetired = false;
  const begin = async (request: RunRequest, given?: RunId): Promise<Omit<RunStart, 'seq' | 'at'>> => {
    if (!definition.agents.has(request.agent)) fail('agent/unknown', `There is no agent ${request.agent}.`);
    if (isRetired) fail('internal', 'A cadre that was replaced starts no run.');
    const { digests } = texts !== undefined && Date.now() - texts.at < PINNED_MS ? texts : await pin();
    const told = withHistory(request);
    const asked = assembly.secrets === undefined ? told : redactedValue(told, assembly.secrets);
    const start = runStart(given ?? newRunId(parts.now()), asked, definition, digests);
    const rooted = ownWorkspace(definition, parts.workspace);
    return rooted === undefined ? start : { ...start, ...rooted };
  };
  const prepare = async (request: RunRequest): Promise<RunId> => {
    const start = await begin(request);
    await stored({ seq: 0, at: parts.now(), ...start }, store);
    return start.run;
  };
  const submit = async (request: RunRequest, given?: RunId): Promise<RunId> => {
    const start = await begin(request, given);
    await parts.submit({ seq: 0, at: parts.now(), ...start });
    return start.run;
  };
  return {
    definition,
    assembly,
    submit,
    async start(request, { run, turn } = {}) {
      if (parts.by === 'workers') return submit(request, run);
      const ready = assembly.ready?.(request.agent);
      if (ready !== undefined) await ready;
      const start = await begin(request, run);
      const lease = await store.claim(start.run, 0);
      parts.work({ start, lease, shared, observe, turn });
      return start.run;
    },
    prepare,
    retire() {
      isRetired = true;
      return shared.retire();
    },
  };
}

/** Stores a run that somebody else works on. */
export async function stored(start: RunStart, store: RunStore): Promise<void> {
  const lease = await store.claim(start.run, 0);
  try {
    await lease.append([start]);
  } finally {
    await lease.release();
  }
}

function runStart(
  run: RunId,
  request: RunRequest,
  cadre: CadreDefinition,
  texts: Readonly<Record<string, Digest>>,
): Omit<RunStart, 'seq' | 'at'> {
  const { agent, input, contract, stopAfter, label, after, thread, continues } = request;
  const { folder } = cadre;
  const type = 'run-start';
  const version = EVENT_VERSION;
  const kernel = KERNEL_REVISION;
  // Most runs by far have none of these. An object made from parts costs much more.
  if ((contract ?? stopAfter ?? label ?? after ?? thread ?? continues) === undefined)
    return { type, version, kernel, run, agent, input, folder, texts };
  return {
    type,
    version,
    kernel,
    run,
    agent,
    input,
    ...(contract && { contract }),
    ...(stopAfter !== undefined && { stopAfter }),
    ...(label !== undefined && { label }),
    ...(after && { after }),
    ...(thread !== undefined && { thread }),
    ...(continues !== undefined && { continues }),
    folder,
    texts,
  };
}

/** Recorded only where the configuration, which is pinned, does not say the same. */
const ownWorkspace = (cadre: CadreDefinition, asked: string | undefined): Pick<RunStart, 'workspace'> | undefined =>
  asked === undefined || asked === workspaceOf(cadre) ? undefined : { workspace: asked };
