// The engine of one machine: runs live in this process, and in a store that outlives it.

import { type CadreDefinition, workspaceOf } from '../agents/definition.ts';
import { type Digest, EVENT_VERSION, type RunEvent, type RunId, type RunStart } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { fail } from '../kernel/fault.ts';
import { type RunOutcome, runOutcome } from '../kernel/outcome.ts';
import { readShared } from '../patterns/spawn/shared-context.ts';
import { redactedValue } from '../secrets/redacted-value.ts';
import type { LiveEvent } from '../world/world.ts';
import { changedFunctions } from './assemble/own-functions.ts';
import type { CadreAssembly } from './assembly.ts';
import type { Engine, RunHandle, RunRequest } from './engine.ts';
import { Handle } from './handle.ts';
import { pinTexts, readAll } from './history/pinned.ts';
import { startOf } from './history/replay.ts';
import { accepted, sendControl } from './reach/control-sender.ts';
import { outsideRuns } from './reach/outside-runs.ts';
import { holdProcess } from './run/at-work.ts';
import type { Bus, Watcher } from './run/bus.ts';
import { type BegunRun, type RunParts, WorkedRun } from './run/worked-run.ts';
import { newRunId } from './run-id.ts';
import { withHistory } from './threads/history.ts';

/** It is raised when a release would do something else on the same record. */
export const KERNEL_REVISION = 2;

export interface LocalParts extends RunParts {
  /**
   * Puts models and tools around a cadre. Called once for the engine's cadre, and once for each resumed run's, with the
   * workspace that the run recorded.
   */
  assemble(cadre: CadreDefinition, recorded?: { readonly workspace?: string }): CadreAssembly;
  /** What the caller wants the tools to be rooted at, if not what the configuration says. Absolute; runs record it. */
  readonly workspace?: string;
  /** The cadre of a resumed run, from the texts that it pinned. */
  pinned(start: RunStart): Promise<CadreDefinition>;
}

export interface LocalEngine extends Engine {
  /** Undefined if the engine has no cadre. */
  readonly assembly: CadreAssembly | undefined;
  /** Stores a run without working on it. The process that resumes it works on it. */
  prepare(request: RunRequest): Promise<RunId>;
  handle(run: RunId): RunHandle;
}

/** Without a cadre it starts nothing, and does everything else. */
export function localEngine(cadre: CadreDefinition | undefined, parts: LocalParts): LocalEngine {
  const { store } = parts;
  const assembly = cadre && parts.assemble(cadre);
  const others: CadreAssembly[] = [];
  const outside = outsideRuns(store);
  /** The runs that this process works on. */
  const worked = new Map<RunId, WorkedRun>();
  let texts: Readonly<Record<string, Digest>> | undefined;
  const begin = async (request: RunRequest): Promise<Omit<RunStart, 'seq' | 'at'>> => {
    if (cadre === undefined || assembly === undefined) fail('usage', 'This engine has no agents to start.');
    if (!cadre.agents.has(request.agent)) fail('agent/unknown', `There is no agent ${request.agent}.`);
    texts ??= await pinTexts(assembly.cadre, store);
    const told = withHistory(request);
    const asked = assembly.secrets === undefined ? told : redactedValue(told, assembly.secrets);
    return { ...runStart(newRunId(parts.now()), asked, cadre, texts), ...ownWorkspace(cadre, parts.workspace) };
  };
  const work = (begun: BegunRun): WorkedRun => {
    const { run } = begun.start;
    const one = new WorkedRun(begun, parts);
    const release = holdProcess();
    const over = (): void => {
      worked.delete(run);
      release();
    };
    worked.set(run, one);
    one.outcome.then(over, over); // the caller of outcome() gets the failure
    return one;
  };
  const engine: LocalEngine = {
    assembly,
    async start(request) {
      const ready = assembly?.ready?.(request.agent);
      if (ready !== undefined) await ready;
      const start = await begin(request);
      const lease = await store.claim(start.run, 0);
      work({ start, recorded: NOTHING, lease, assembly: assembly as CadreAssembly, outside });
      return start.run;
    },
    async prepare(request) {
      const start = await begin(request);
      const lease = await store.claim(start.run, 0);
      try {
        await lease.append([{ seq: 0, at: parts.now(), ...start }]);
      } finally {
        await lease.release();
      }
      return start.run;
    },
    async resume(run, { takeOver = false } = {}) {
      if (takeOver) await takeOverUnended(run, store);
      const recorded = await readAll(run, store);
      const start = startOf(recorded);
      if (recorded.at(-1)?.type === 'run-end')
        fail('run/finished', `Run ${run} has ended. See it with: cadre show ${run}`);
      if (start.kernel !== KERNEL_REVISION) parts.warn(olderKernel(start));
      const own = parts.assemble(
        await parts.pinned(start),
        start.workspace === undefined ? {} : { workspace: start.workspace },
      );
      others.push(own);
      for (const file of changedFunctions(own)) parts.warn(`${file} has changed since run ${run} began. ${TODAYS}`);
      const lease = await store.claim(run, recorded.length);
      work({ start, recorded, lease, assembly: own, outside });
    },
    events(run, from = 0, signal) {
      const own = worked.get(run);
      return own === undefined ? followed(run, from, store, signal) : eventsOf(own, from, store, signal);
    },
    live(run) {
      const own = worked.get(run);
      return own === undefined ? nothingLive() : liveOf(own);
    },
    watch(run, watcher) {
      const own = worked.get(run);
      return own === undefined ? watchedFrom(run, watcher, store, parts.warn) : own.bus.watch(watcher);
    },
    async control(run, message) {
      refuseUnshareable(message);
      const own = worked.get(run);
      if (own !== undefined) return accepted(run, await own.take(message));
      return sendControl(run, message, store);
    },
    outcome: (run) => worked.get(run)?.outcome ?? outcomeOf(run, store),
    async runs(query = {}) {
      const limit = query.limit ?? PAGE;
      const found = await store.list({ ...query, limit: limit + 1 });
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return found.length > limit && last !== undefined ? { items, next: last.run } : { items };
    },
    summary: (run) => store.summary(run),
    handle: (run) => new Handle(run, engine, worked.get(run)),
    async close() {
      await assembly?.close();
      await Promise.all(others.map((one) => one.close()));
    },
  };
  return engine;
}

/** The default number of runs on a page. */
const PAGE = 50;

const TODAYS = 'The run goes on with the current functions.';

const olderKernel = ({ run, kernel }: RunStart): string =>
  `Run ${run} was begun by another release (kernel revision ${kernel}, this one has ${KERNEL_REVISION}). It goes on as ` +
  'long as both do the same. If they differ, it stops with journal/divergence, and nothing is lost.';

const NOTHING: readonly RunEvent[] = [];

/** A run that has ended has no holder to fence out, and is refused as every ended run is. */
async function takeOverUnended(run: RunId, store: RunStore): Promise<void> {
  const recorded = await readAll(run, store);
  if (recorded.at(-1)?.type !== 'run-end') await store.takeOver(run);
}

function runStart(
  run: RunId,
  request: RunRequest,
  cadre: CadreDefinition,
  texts: Readonly<Record<string, Digest>>,
): Omit<RunStart, 'seq' | 'at'> {
  const { agent, input, contract, stopAfter, label, after, thread, continues } = request;
  const { folder } = cadre;
  return {
    type: 'run-start',
    version: EVENT_VERSION,
    kernel: KERNEL_REVISION,
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
const ownWorkspace = (cadre: CadreDefinition, asked: string | undefined): Pick<RunStart, 'workspace'> =>
  asked === undefined || asked === workspaceOf(cadre) ? {} : { workspace: asked };

function refuseUnshareable(message: ControlMessage): void {
  if (message.kind !== 'share-context') return;
  const given = readShared(message.context);
  if ('error' in given) fail('input/invalid', given.error);
}

/** The outcome of a run that another process works on, or that has ended. */
async function outcomeOf(run: RunId, store: RunStore): Promise<RunOutcome> {
  for await (const event of followed(run, 0, store)) if (event.type === 'run-end') return runOutcome(event.outcome);
  return fail('run/unknown', `Run ${run} is gone.`);
}

async function* followed(run: RunId, from: number, store: RunStore, signal?: AbortSignal): AsyncGenerator<RunEvent> {
  const leave = new AbortController();
  try {
    yield* store.follow(run, from, signal === undefined ? leave.signal : AbortSignal.any([leave.signal, signal]));
  } finally {
    leave.abort();
  }
}

/** Listens from now on. */
function watchedFrom(run: RunId, watcher: Watcher, store: RunStore, warn: (text: string) => void): () => void {
  const leave = new AbortController();
  const go = async (): Promise<void> => {
    const { events } = await store.summary(run);
    for await (const event of store.follow(run, events, leave.signal)) watcher.event?.(event);
  };
  go().catch((thrown: unknown) => warn(`A watcher of run ${run} failed and was dropped: ${String(thrown)}`));
  return () => leave.abort();
}

/** The events that are stored already, then new ones, each once. */
async function* eventsOf(
  { run, bus, outcome }: WorkedRun,
  from: number,
  store: RunStore,
  signal?: AbortSignal,
): AsyncGenerator<RunEvent> {
  const coming = queueOf<RunEvent>(bus, outcome, (tell) => ({ event: tell }), signal);
  try {
    let next = from;
    for await (const event of store.read(run, from)) {
      next = event.seq + 1;
      yield event;
    }
    for await (const event of coming) if (event.seq >= next) yield event;
  } finally {
    coming.leave();
  }
}

async function* liveOf({ bus, outcome }: WorkedRun): AsyncGenerator<LiveEvent> {
  const coming = queueOf<LiveEvent>(bus, outcome, (tell) => ({ live: tell }));
  try {
    yield* coming;
  } finally {
    coming.leave();
  }
}

async function* nothingLive(): AsyncGenerator<LiveEvent> {}

/** What a bus reports until the run is over or the signal is aborted. Listens from the call on. */
function queueOf<Item>(
  bus: Bus,
  over: Promise<unknown>,
  watcher: (tell: (item: Item) => void) => Watcher,
  signal?: AbortSignal,
): AsyncIterable<Item> & { leave(): void } {
  const queue: Item[] = [];
  let wake = (): void => {};
  let isOver = false;
  const end = (): void => {
    isOver = true;
    wake();
  };
  const leave = bus.watch(
    watcher((item) => {
      queue.push(item);
      wake();
    }),
  );
  over.then(end, end);
  signal?.addEventListener('abort', end, { once: true });
  return {
    leave,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const item = queue.shift();
        if (item !== undefined) yield item;
        else if (isOver) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
