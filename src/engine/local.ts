// The engine of one machine: runs live in this process, and in a store that outlives it.

import type { CadreDefinition } from '../agents/definition.ts';
import { runEndOf } from '../journal/ending.ts';
import type { RunEvent, RunId, RunStart } from '../journal/event.ts';
import type { Fleet, LiveExchange, RunStore, TakenRun, WorkerNeeds } from '../journal/store.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { fail, faultOf } from '../kernel/fault.ts';
import { type RunOutcome, runOutcome } from '../kernel/outcome.ts';
import { readShared } from '../patterns/spawn/shared-context.ts';
import { type BegunRun, type RunObserver, type RunParts, type RunTurn, WorkedRun } from '../run/active-run.ts';
import { holdProcess } from '../run/at-work.ts';
import type { Bus, Watcher } from '../run/bus.ts';
import { outsideRuns } from '../run/outside-runs.ts';
import { changedFunctions } from '../run/resources/own-functions.ts';
import type { CadreAssembly } from '../run/resources.ts';
import type { LiveEvent } from '../world/world.ts';
import type { Engine, ResumeOptions, RunHandle, RunRequest } from './engine.ts';
import { liveElsewhere, sendLive, watchLive } from './fleet/live-events.ts';
import { needsOf } from './fleet/needs.ts';
import { Handle, type OwnRun, said } from './handle.ts';
import { readAll } from './history/pinned.ts';
import { startOf } from './history/replay.ts';
import {
  type BegunHere,
  type HostedCadre,
  hostedCadre,
  KERNEL_REVISION,
  type SharedAssembly,
  sharedAssembly,
  stored,
} from './hosted-cadre.ts';
import { accepted, sendControl } from './remote/control-sender.ts';

type Workspace = Pick<RunStart, 'workspace'>;

export interface LocalParts extends RunParts {
  /**
   * Puts models and tools around a cadre. Called once for the engine's cadre, and once for each resumed run's, with the
   * workspace that the run recorded.
   */
  assemble(cadre: CadreDefinition, recorded?: Workspace): CadreAssembly;
  /** What the caller wants the tools to be rooted at, if not what the configuration says. Absolute; runs record it. */
  readonly workspace?: string;
  /** The cadre of a resumed run, from the texts that it pinned. */
  pinned(start: RunStart): Promise<CadreDefinition>;
  /** Who works on the runs that are started and resumed: this process (the default), or the workers of the store. */
  readonly work?: 'here' | 'workers';
  /** How long models and tools of resumed runs stay open when the last of these has ended. Default: they are closed. */
  readonly idleMs?: number;
}

export interface LocalResumeOptions extends ResumeOptions {
  /** The run goes on when its turn has come. */
  readonly turn?: RunTurn;
  /** It was taken from a fleet: it is claimed already. */
  readonly taken?: TakenRun;
}

export interface LocalEngine extends Engine {
  /** Undefined if the engine has no cadre of its own. */
  readonly assembly: CadreAssembly | undefined;
  /** Starts runs of a further cadre, or of a newer reading of one. */
  host(cadre: CadreDefinition, observe?: RunObserver): HostedCadre;
  resume(run: RunId, options?: LocalResumeOptions): Promise<void>;
  /** Whether this process works on the run. */
  isAtWork(run: RunId): boolean;
  /** Stores a run without working on it. The process that resumes it works on it. */
  prepare(request: RunRequest): Promise<RunId>;
  /** Stores a run and leaves it to the workers of the store. Throws `usage` where the store has no workers. */
  submit(request: RunRequest): Promise<RunId>;
  /**
   * Takes up a run that no process works on and that a cancel waits for: it takes that first, and ends. So a run that waits
   * for a worker ends although none takes it. Throws `run/locked` if a process has it.
   */
  endHere(run: RunId): Promise<void>;
  /** Lets go of a run that this process works on, so that another can go on with it: see WorkedRun. */
  leave(run: RunId, withinMs: number): Promise<void>;
  handle(run: RunId): RunHandle;
}

/** Without a cadre of its own it starts the runs of the cadres that it hosts, and does everything else. */
export function localEngine(cadre: CadreDefinition | undefined, parts: LocalParts): LocalEngine {
  const { store } = parts;
  const outside = outsideRuns(store);
  /** The runs that this process works on. */
  const worked = new Map<RunId, WorkedRun>();
  /** What is open: for the cadres that are hosted, and for resumed runs by the texts that they pinned. */
  const open = new Set<SharedAssembly>();
  const pinned = new Map<string, Promise<SharedAssembly>>();
  const hosted = new Map<string, RunObserver | undefined>();
  const share = (one: CadreDefinition, recorded?: Workspace, gone = (): void => {}, idleMs = 0): SharedAssembly => {
    const over = (): void => {
      open.delete(shared);
      gone();
    };
    const shared = sharedAssembly(parts.assemble(one, recorded), over, idleMs);
    open.add(shared);
    return shared;
  };
  const work = (begun: BegunHere & Pick<BegunRun, 'recorded' | 'hasMessages'>): WorkedRun => {
    const { start, recorded, lease, shared, turn, hasMessages, observe = parts.observe } = begun;
    const { run } = start;
    const watched = observe === undefined || observe === parts.observe ? parts : { ...parts, observe };
    const { assembly } = shared;
    const one = new WorkedRun({ start, recorded, lease, assembly, outside, turn, hasMessages }, watched);
    const release = holdProcess();
    const unuse = shared.use();
    const over = (): void => {
      worked.delete(run);
      release();
      unuse();
    };
    worked.set(run, one);
    if (store.fleet?.live !== undefined) startSending(store.fleet.live);
    one.outcome.then(over, over); // the caller of outcome() gets the failure
    return one;
  };
  const offer = async (run: RunId): Promise<void> => {
    const { state } = await store.summary(run);
    if (state === 'ended') fail('run/finished', `Run ${run} has ended. See it with: cadre show ${run}`);
    if (state === 'running') fail('run/locked', `A process works on run ${run} already.`);
    const start = await firstOf(run, store);
    await fleetOf(store).offer(run, needsOf(start, await parts.pinned(start)));
  };
  let stopSending: (() => void) | undefined;
  const startSending = (live: LiveExchange): void => {
    stopSending ??= sendLive(live, (run) => worked.get(run)?.bus);
  };
  const host = (one: CadreDefinition, observe?: RunObserver): HostedCadre => {
    hosted.set(one.folder, observe);
    const begun = ({ start, lease, shared, observe: watch, turn }: BegunHere): void =>
      void work({ start, recorded: NOTHING, lease, shared, observe: watch, turn });
    const { workspace, now } = parts;
    const submit = (start: RunStart): Promise<void> => leftToWorkers(start, needsOf(start, one), store);
    const { work: by } = parts;
    return hostedCadre(one, { store, shared: share(one), observe, workspace, now, by, submit, work: begun });
  };
  /** Runs that began with the same texts share their models and tools while one of them is at work. */
  const pinnedBy = (start: RunStart): Promise<SharedAssembly> => {
    const { folder, texts, workspace } = start;
    const key = JSON.stringify([folder, texts, workspace]);
    const known = pinned.get(key);
    if (known !== undefined) return known;
    const gone = (): void => void pinned.delete(key);
    const recorded = workspace === undefined ? {} : { workspace };
    const made = parts.pinned(start).then((one) => share(one, recorded, gone, parts.idleMs));
    pinned.set(key, made);
    made.catch(gone); // the caller gets the failure
    return made;
  };
  const takeUp = async (run: RunId, { turn, taken }: LocalResumeOptions = {}): Promise<void> => {
    const claimed = await taken?.open();
    const recorded = claimed?.recorded ?? (await readAll(run, store));
    const start = startOf(recorded);
    if (runEndOf(recorded) !== undefined) fail('run/finished', `Run ${run} has ended. See it with: cadre show ${run}`);
    if (recorded.some(({ type }) => type === 'undo'))
      fail('run/undone', `Changes of run ${run} were taken back, and it does not know of that. Start it again.`);
    if (start.kernel !== KERNEL_REVISION) parts.warn(olderKernel(start));
    let shared = await pinnedBy(start);
    while (shared.isClosed) shared = await pinnedBy(start); // its last run ended at this moment
    const unuse = shared.use();
    void shared.retire();
    try {
      for (const file of changedFunctions(shared.assembly))
        parts.warn(`${file} has changed since run ${run} began. ${TODAYS}`);
      const lease = claimed?.lease ?? (await store.claim(run, recorded.length));
      const hasMessages = taken?.hasMessages;
      work({ start, recorded, lease, shared, observe: hosted.get(start.folder), turn, hasMessages });
    } finally {
      unuse();
    }
  };
  /** Its process cannot be interrupted from here, but the run can be told to end. */
  const atWorker = (run: RunId): OwnRun => ({
    get outcome() {
      return engine.outcome(run);
    },
    interrupt(how, reason) {
      engine
        .control(run, said({ kind: how, reason }))
        .then((accepted) => (accepted === 'waits' && how === 'cancel' ? engine.endHere(run) : undefined))
        .catch((thrown: unknown) => parts.warn(`Run ${run} does not take the ${how}: ${faultOf(thrown).message}`));
    },
  });
  const own = cadre && host(cadre);
  const mine = (): HostedCadre => own ?? fail('usage', 'This engine has no agents to start.');
  const engine: LocalEngine = {
    assembly: own?.assembly,
    host,
    start: async (request) => mine().start(request),
    prepare: async (request) => mine().prepare(request),
    async resume(run, options = {}) {
      if (options.takeOver === true) await takeOverUnended(run, store);
      await (parts.work === 'workers' ? offer(run) : takeUp(run, options));
    },
    async endHere(run) {
      if (store.fleet?.assigns === true) await takeOverUnended(run, store); // what hands it to workers has to let go of it
      await takeUp(run);
    },
    events(run, from = 0, signal) {
      const own = worked.get(run);
      return own === undefined ? followed(run, from, store, signal) : eventsOf(own, from, store, signal);
    },
    live(run) {
      const own = worked.get(run);
      return own === undefined ? liveElsewhere(run, store) : liveOf(own);
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
    handle: (run) => new Handle(run, engine, worked.get(run) ?? (parts.work === 'workers' ? atWorker(run) : undefined)),
    isAtWork: (run) => worked.has(run),
    submit: async (request) => mine().submit(request),
    leave: async (run, withinMs) => worked.get(run)?.leave(withinMs),
    async close() {
      stopSending?.();
      await Promise.all([...open].map((one) => one.close()));
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

const fleetOf = ({ fleet }: RunStore): Fleet =>
  fleet ?? fail('usage', 'Only a store that machines share has workers: --store postgres://… or restate://…');

async function leftToWorkers(start: RunStart, needs: WorkerNeeds, store: RunStore): Promise<void> {
  const fleet = fleetOf(store);
  if (fleet.submit !== undefined) return fleet.submit(start, needs);
  await stored(start, store);
  await fleet.offer(start.run, needs);
}

async function firstOf(run: RunId, store: RunStore): Promise<RunStart> {
  for await (const event of store.read(run)) return startOf([event]);
  return fail('journal/corrupt', `The journal of run ${run} has no beginning.`);
}

/** A run that has ended has no holder to fence out, and is refused as every ended run is. */
async function takeOverUnended(run: RunId, store: RunStore): Promise<void> {
  const recorded = await readAll(run, store);
  if (runEndOf(recorded) === undefined) await store.takeOver(run);
}

function refuseUnshareable(message: ControlMessage): void {
  if (message.kind !== 'share-context') return;
  const given = readShared(message.context);
  if ('error' in given) fail('input/invalid', given.error);
}

/** The outcome of a run that another process works on, or that has ended. */
async function outcomeOf(run: RunId, store: RunStore): Promise<RunOutcome> {
  if (store.end !== undefined) {
    const end = await store.end(run, new AbortController().signal);
    if (end !== undefined) return runOutcome(end.outcome);
  }
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
  const { live } = watcher;
  const exchange = live && store.fleet?.live;
  const unwatch = exchange && watchLive(exchange, run, (event) => live.call(watcher, event));
  const go = async (): Promise<void> => {
    const { events } = await store.summary(run);
    for await (const event of store.follow(run, events, leave.signal)) watcher.event?.(event);
  };
  if (watcher.event !== undefined)
    go().catch((thrown: unknown) => warn(`A watcher of run ${run} failed and was dropped: ${String(thrown)}`));
  return () => {
    unwatch?.();
    leave.abort();
  };
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
