// The engine: where runs live. Local and distributed differ only here; command line, library and every other surface use
// nothing else to start, follow, reach and list runs.

import type { CadreDefinition } from '../definition/definition.ts';
import { runEndOf } from '../journal/ending.ts';
import type { RunEvent, RunId, RunStart } from '../journal/event.ts';
import type { RunLease } from '../journal/log.ts';
import { refuseEarlierHelpers } from '../journal/second-version.ts';
import type { RunQuery, RunSummary, TakenRun } from '../journal/store.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { fail, faultOf } from '../kernel/fault.ts';
import type { RunOutcome } from '../kernel/outcome.ts';
import { KERNEL_REVISION } from '../kernel/revision.ts';
import { readShared } from '../patterns/spawn/shared-context.ts';
import { ActiveRun, type RunSetup } from '../run/active-run.ts';
import { holdProcess } from '../run/at-work.ts';
import type { Watcher } from '../run/bus.ts';
import type { RunEnvironment } from '../run/environment.ts';
import type { LoadedCadre } from '../run/loaded-cadre.ts';
import { forgetUploads } from '../run/name-files.ts';
import { changedFunctions } from '../run/resources/own-functions.ts';
import type { LiveEvent } from '../world/world.ts';
import type { MessageReceipt, Page, ResumeOptions, RunHandle, RunReach, RunRequest, StartOptions } from './contract.ts';
import { Handle, newMessage } from './handle.ts';
import { LoadedCadres } from './loaded-cadres.ts';
import { readAll, startOf } from './pinned.ts';
import { acceptance } from './remote/control-sender.ts';
import { sendLive } from './remote/live-events.ts';
import { RemoteRuns } from './remote/remote-runs.ts';
import { newRunId } from './run-id.ts';
import { runStart } from './run-start.ts';

/** An engine without a cadre of its own starts the runs of those that it is given, and does everything else. */
export class Engine implements RunReach {
  readonly #environment: RunEnvironment;
  /** The cadre that it starts the runs of, unless it is told another one. */
  readonly own: LoadedCadre | undefined;
  /** The runs that this process works on. */
  readonly #active = new Map<RunId, ActiveRun>();
  readonly #remote: RemoteRuns;
  readonly #cadres: LoadedCadres;
  #stopSending: (() => void) | undefined;

  constructor(environment: RunEnvironment, own?: LoadedCadre) {
    this.#environment = environment;
    this.#remote = new RemoteRuns(environment);
    this.#cadres = new LoadedCadres(environment);
    this.own = own;
    if (own !== undefined) this.#cadres.add(own);
  }

  /** Loads a further cadre, or a newer reading of one. */
  load(definition: CadreDefinition): Promise<LoadedCadre> {
    return this.#cadres.load(definition);
  }

  async start(request: RunRequest, { cadre = this.#ownCadre(), run, turn }: StartOptions = {}): Promise<RunId> {
    const { store, work, workspace, now } = this.#environment;
    if (work === 'workers') return this.submit(request, { cadre, ...(run !== undefined && { run }) });
    const ready = cadre.resources.ready?.(request.agent);
    if (ready !== undefined) await ready;
    const start = await runStart(run ?? newRunId(now()), request, cadre, workspace);
    const lease = await store.claim(start.run, 0);
    this.#activate({ start, recorded: NOTHING, lease, observe: cadre.observe, turn }, cadre);
    return start.run;
  }

  /** Stores a run without working on it. The process that resumes it works on it. */
  async prepare(request: RunRequest): Promise<RunId> {
    const { workspace, now } = this.#environment;
    const start = await runStart(newRunId(now()), request, this.#ownCadre(), workspace);
    await this.#remote.store({ seq: 0, at: now(), ...start });
    await forgetUploads(start.input.files ?? [], this.#environment.store.uploads);
    return start.run;
  }

  /** Stores a run and leaves it to the workers of the store. Throws `usage` where the store has no workers. */
  async submit(request: RunRequest, { cadre = this.#ownCadre(), run }: StartOptions = {}): Promise<RunId> {
    const { workspace, now } = this.#environment;
    const start = await runStart(run ?? newRunId(now()), request, cadre, workspace);
    await this.#remote.submit({ seq: 0, at: now(), ...start }, cadre);
    await forgetUploads(start.input.files ?? [], this.#environment.store.uploads);
    return start.run;
  }

  /** Takes up a run that was broken off. */
  async resume(run: RunId, { takeOver = false, turn, taken }: ResumeOptions = {}): Promise<void> {
    if (takeOver) await this.#remote.takeOver(run);
    if (this.#environment.work === 'workers') await this.#remote.offer(run);
    else await this.#takeUp(run, turn, taken);
  }

  /**
   * Takes up a run that no process works on and that a cancel waits for: it takes that first, and ends. So a run that waits
   * for a worker ends although none takes it. Throws `run/locked` if a process has it.
   */
  async endHere(run: RunId): Promise<void> {
    if (this.#environment.store.fleet?.assigns === true) await this.#remote.takeOver(run); // what hands it to workers has to let go of it
    await this.#takeUp(run);
  }

  events(run: RunId, from = 0, signal?: AbortSignal): AsyncIterable<RunEvent> {
    return this.#active.get(run)?.events(from, signal) ?? this.#remote.events(run, from, signal);
  }

  live(run: RunId): AsyncIterable<LiveEvent> {
    return this.#active.get(run)?.live() ?? this.#remote.live(run);
  }

  watch(run: RunId, watcher: Watcher): () => void {
    return this.#active.get(run)?.bus.watch(watcher) ?? this.#remote.watch(run, watcher);
  }

  async control(run: RunId, message: ControlMessage): Promise<MessageReceipt> {
    refuseUnshareable(message);
    const active = this.#active.get(run);
    return active === undefined ? this.#remote.control(run, message) : acceptance(run, await active.take(message));
  }

  outcome(run: RunId): Promise<RunOutcome> {
    return this.#active.get(run)?.outcome ?? this.#remote.outcome(run);
  }

  handle(run: RunId): RunHandle {
    const isRemote = this.#environment.work === 'workers';
    return new Handle(run, this, this.#active.get(run) ?? (isRemote ? this.#atWorker(run) : undefined));
  }

  /** True if this process works on the run. */
  isAtWork(run: RunId): boolean {
    return this.#active.has(run);
  }

  /** Lets go of a run that this process works on, so that another can go on with it: see ActiveRun. */
  async suspend(run: RunId, withinMs: number): Promise<void> {
    await this.#active.get(run)?.suspend(withinMs);
  }

  /** Newest first. `next` of a page is `before` of the following one. */
  async runs(query: RunQuery = {}): Promise<Page<RunSummary>> {
    const limit = query.limit ?? PAGE;
    const found = await this.#environment.store.list({ ...query, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return found.length > limit && last !== undefined ? { items, next: last.run } : { items };
  }

  summary(run: RunId): Promise<RunSummary> {
    return this.#environment.store.summary(run);
  }

  /** Script steps that no call used, of the cadre that was loaded last, as `file:line`. */
  unusedSteps(): readonly string[] {
    return this.#cadres.unusedSteps();
  }

  /** Sends what telemetry can send in a moment, for a process that ends at once. */
  flush(): Promise<void> {
    return this.#cadres.flush();
  }

  async close(): Promise<void> {
    this.#stopSending?.();
    await this.#cadres.close();
  }

  /** Both ways in end here: a run that starts, and one that goes on. */
  #activate(setup: RunSetup, cadre: LoadedCadre): void {
    const active = new ActiveRun(setup, cadre, this.#environment);
    const { run } = active;
    const release = holdProcess();
    const leave = cadre.use();
    const over = (): void => {
      this.#active.delete(run);
      release();
      leave();
    };
    this.#active.set(run, active);
    const live = this.#environment.store.fleet?.live;
    if (live !== undefined) this.#stopSending ??= sendLive(live, (sent) => this.#active.get(sent)?.bus);
    active.outcome.then(over, over); // the caller of outcome() gets the failure
  }

  async #takeUp(run: RunId, turn?: Promise<unknown>, taken?: TakenRun): Promise<void> {
    const { store, warn } = this.#environment;
    const claimed = await taken?.open();
    const recorded = claimed?.recorded ?? (await readAll(run, store));
    const start = resumable(recorded);
    if (start.kernel > KERNEL_REVISION) warn(laterKernel(start));
    const { cadre, leave } = await this.#cadres.use(start);
    try {
      for (const file of changedFunctions(cadre)) warn(`${file} has changed since run ${run} began. ${TODAYS}`);
      const lease: RunLease = claimed?.lease ?? (await store.claim(run, recorded.length));
      const observe = this.#cadres.observersOf(start.folder) ?? this.own?.observe ?? this.#environment.observe;
      this.#activate({ start, recorded, lease, observe, turn, hasMessages: taken?.hasMessages }, cadre);
    } finally {
      leave();
    }
  }

  #ownCadre(): LoadedCadre {
    return this.own ?? fail('usage', 'This engine has no agents to start.');
  }

  /** Its process cannot be interrupted from here, but the run can be told to end. */
  #atWorker(run: RunId): ConstructorParameters<typeof Handle>[2] {
    const outcome = (): Promise<RunOutcome> => this.outcome(run);
    return {
      get outcome() {
        return outcome();
      },
      interrupt: (how, reason) => {
        this.control(run, newMessage({ kind: how, reason }))
          .then((answer) => (answer === 'waits' && how === 'cancel' ? this.endHere(run) : undefined))
          .catch((thrown: unknown) =>
            this.#environment.warn(`Run ${run} does not take the ${how}: ${faultOf(thrown).message}`),
          );
      },
    };
  }
}

/** The default number of runs on a page. */
const PAGE = 50;

const NOTHING: readonly RunEvent[] = [];

const TODAYS = 'The run goes on with the current functions.';

/** Throws for a run that has ended or was taken back. */
function resumable(recorded: readonly RunEvent[]): RunStart {
  const start = startOf(recorded);
  const { run } = start;
  if (runEndOf(recorded) !== undefined) fail('run/finished', `Run ${run} has ended. See it with: cadre show ${run}`);
  if (recorded.some(({ type }) => type === 'undo'))
    fail('run/undone', `Changes of run ${run} were taken back, and it does not know of that. Start it again.`);
  refuseEarlierHelpers(recorded);
  return start;
}

const laterKernel = ({ run, kernel }: RunStart): string =>
  `Run ${run} was begun by a later release (kernel revision ${kernel}, this one has ${KERNEL_REVISION}). It goes on as ` +
  'long as both do the same. If they differ, it stops with journal/divergence, and nothing is lost.';

function refuseUnshareable(message: ControlMessage): void {
  if (message.kind !== 'share-context') return;
  const given = readShared(message.context);
  if ('error' in given) fail('input/invalid', given.error);
}
