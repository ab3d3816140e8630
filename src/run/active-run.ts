// A run that this process works on: its journal, its state, its watchers, and what reaches into it.

import { setTimeout } from 'node:timers/promises';
import type { AgentDefinition, CadreDefinition } from '../definition/definition.ts';
import { type Digest, EVENT_VERSION, type RunEvent, type RunId } from '../journal/event.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { RunLease } from '../journal/log.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { FaultError, fail, fault, faultOf } from '../kernel/fault.ts';
import type { RunOutcome } from '../kernel/outcome.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { cancelledBy, orAborted, Stop } from '../world/abort.ts';
import { Suspension } from '../world/stack/suspension.ts';
import type { LiveEvent, Show } from '../world/world.ts';
import { type AgentFacts, cameWithFiles, factsOf, withSight } from './agent-facts.ts';
import { type Bus, openBus, watchQueue } from './bus.ts';
import { ControlIntake, type TakenMessage } from './control-intake.ts';
import { type LiveRun, type NewRunStart, onModels } from './driven-run.ts';
import type { RunEnvironment, RunObserver } from './environment.ts';
import { execute } from './execute.ts';
import { isolationOf } from './isolate.ts';
import { leavesOf } from './leaves.ts';
import type { LoadedCadre } from './loaded-cadre.ts';
import { nameFiles } from './name-files.ts';
import { outsideRuns } from './outside-runs.ts';
import { readAndKeep, readSkills } from './read-given.ts';
import { soon } from './run-scheduler.ts';
import { openRunState, type RunState } from './run-state.ts';

/** A run that begins, or goes on. Of a new run nothing is recorded. */
export interface RunSetup {
  readonly start: NewRunStart;
  readonly recorded: readonly RunEvent[];
  readonly lease: RunLease;
  /** They watch it from its first event on. */
  readonly observe: readonly RunObserver[];
  /** Settles when the run may begin its work. Until then it is recorded, can be reached, and does nothing. */
  readonly turn?: Promise<unknown> | undefined;
  /** False if it is known that no message to it lies in the store. */
  readonly hasMessages?: boolean | undefined;
}

export class ActiveRun implements LiveRun {
  readonly run: RunId;
  readonly start: NewRunStart;
  readonly cadre: LoadedCadre;
  readonly definition: CadreDefinition;
  readonly environment: RunEnvironment;
  readonly bus: Bus;
  readonly state: RunState;
  readonly outcome: Promise<RunOutcome>;
  readonly signal = new Stop();
  readonly graceful = new Stop();
  /** Only runs that may go on elsewhere have one. */
  readonly suspension: Suspension | undefined;
  readonly #setup: RunSetup;
  /** Settles when the journal is open. */
  readonly #opened: Promise<void>;
  /** Leaves the runs whose secrets are kept up to date. */
  #forget: () => void = () => {};
  #journal: Journal | undefined;
  readonly #intake: ControlIntake;
  #isOver = false;
  /** Rejects when the run is let go, which may be before its work has begun. */
  readonly #left: Promise<never> | undefined;
  #letGo: (why: FaultError) => void = () => {};

  constructor(setup: RunSetup, cadre: LoadedCadre, environment: RunEnvironment) {
    const { start, recorded, observe } = setup;
    const { run } = start;
    const { canSuspend, store, now } = environment;
    this.run = run;
    this.start = start;
    this.cadre = cadre;
    this.definition = onModels(cadre.recordable, start.models);
    this.environment = environment;
    this.#setup = setup;
    if (canSuspend) {
      this.suspension = new Suspension();
      this.#left = this.#untilLeft();
    }
    this.bus = openBus((thrown) =>
      environment.warn(this.#clean(`A watcher of run ${run} failed and was dropped: ${String(thrown)}`)),
    );
    for (const one of observe) this.bus.watch(one(run, recorded));
    this.state = openRunState({
      run,
      cadre: cadre.recordable,
      recorded,
      stop: this.signal,
      graceful: this.graceful,
      outside: outsideRuns(store),
      now,
    });
    this.#intake = new ControlIntake(this, recorded);
    this.#opened = this.#open();
    this.outcome = this.#work();
  }

  get journal(): Journal {
    return this.#journal ?? fail('internal', `The journal of run ${this.run} is not open yet.`);
  }

  get show(): Show {
    return this.bus.live;
  }

  facts(agent: AgentDefinition, signal: StopSignal): AgentFacts | Promise<AgentFacts> {
    const found = factsOf(agent, this.cadre, signal);
    return cameWithFiles(this.start.input) ? withSight(found, agent, this.cadre) : found;
  }

  async textOf(digest: Digest): Promise<string | undefined> {
    const bytes = await this.environment.store.blobs.get(digest);
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  }

  get given(): NonNullable<LiveRun['given']> {
    return { text: (path, what) => readAndKeep(path, what, this), skills: (entry) => readSkills(entry, this) };
  }

  /** The events that are stored already, then new ones, each once. */
  async *events(from: number, signal?: AbortSignal): AsyncGenerator<RunEvent> {
    const coming = watchQueue<RunEvent>(this, (tell) => ({ event: tell }), signal);
    try {
      let next = from;
      for await (const event of this.environment.store.read(this.run, from)) {
        next = event.seq + 1;
        yield event;
      }
      for await (const event of coming) if (event.seq >= next) yield event;
    } finally {
      coming.leave();
    }
  }

  /** Yields the live events, from now on. */
  async *live(): AsyncGenerator<LiveEvent> {
    const coming = watchQueue<LiveEvent>(this, (tell) => ({ live: tell }));
    try {
      yield* coming;
    } finally {
      coming.leave();
    }
  }

  /** Takes a message of this process: see ControlIntake. */
  async take(message: ControlMessage): Promise<TakenMessage> {
    await this.#opened;
    return this.#intake.take(message);
  }

  /**
   * Lets go of the run, so that another process can go on with it. Calls that are under way may end within this time and
   * are recorded; those that have not ended are in doubt. Settles when the run is free, or has ended.
   */
  async suspend(withinMs: number): Promise<void> {
    if (this.suspension === undefined) return;
    await this.#opened;
    const late = new AbortController();
    const over = this.outcome.catch(() => undefined); // the caller of outcome() gets the failure
    await Promise.race([this.suspension.rest(), over, setTimeout(withinMs, undefined, { signal: late.signal })]);
    late.abort();
    if (this.#isOver) return void (await over);
    await this.#journal?.flush();
    this.#letGo(new FaultError(fault('run/taken-over', `This process has let go of run ${this.run}.`)));
    await over;
    this.signal.abort(cancelledBy('Its process has let go of the run.')); // after the release: nothing of it is recorded
  }

  /** Rejects when the run is let go. */
  #untilLeft(): Promise<never> {
    const left = new Promise<never>((_, reject) => {
      this.#letGo = reject;
    });
    left.catch(() => {}); // what is raced with it gets the failure
    return left;
  }

  /** Stops the work without a message to the run. */
  interrupt(how: 'stop' | 'cancel', reason: string): void {
    const why = this.#clean(reason);
    if (how === 'cancel') {
      this.signal.abort(cancelledBy(why));
      return;
    }
    this.state.inboxes.stop(why);
    this.state.backgroundRuns.stop(why);
    this.graceful.abort(cancelledBy(why));
  }

  async #open(): Promise<void> {
    await new Promise<void>((resolve) => soon(resolve)); // the caller that started the run can still watch its first event
    const { cadre, environment } = this;
    const joining = environment.signInSecrets.join(cadre.secrets, mayBringSignIns(cadre)); // KNOWN-1
    this.#forget = joining instanceof Promise ? await joining : joining;
  }

  async #work(): Promise<RunOutcome> {
    const { recorded, lease, turn, hasMessages = recorded.length > 0 } = this.#setup;
    const { store, now } = this.environment;
    try {
      await this.#opened;
    } catch (thrown) {
      await lease.release();
      throw thrown;
    }
    const journal = openJournal(lease, {
      recorded,
      now,
      observe: this.bus.event,
      failed: (thrown) => this.signal.abort(new FaultError(faultOf(thrown))), // what is under way cannot be recorded any more
    });
    this.#journal = journal;
    this.#intake.begin(journal);
    journal.append(recorded.length === 0 ? this.start : { type: 'run-resume', version: EVENT_VERSION });
    const { files } = this.start.input;
    if (files !== undefined && recorded.length === 0) await nameFiles(files, journal, store);
    const unwatch = store.control.watch(this.run, () => void this.#intake.takeWaiting());
    try {
      if (hasMessages) await this.#intake.takeWaiting(); // TAKE-2
      const left = this.#left;
      if (turn !== undefined) await orLeft(this.#turnOf(turn, journal), left);
      return await orLeft(execute(this, leavesOf(this), isolationOf(this)), left);
    } finally {
      this.#end();
      this.#forget();
      unwatch();
      await this.#intake.settled();
      await lease.release();
    }
  }

  /** Waits for the turn, or for a cancel. The beginning of the run is on the disk before that. */
  async #turnOf(turn: Promise<unknown>, journal: Journal): Promise<void> {
    await journal.flush();
    try {
      await orAborted(turn, this.signal);
    } catch (thrown) {
      if (!this.signal.aborted) throw thrown;
    }
  }

  ending(): void {
    this.#end();
    this.#intake.warnOfUnheard();
  }

  /** No message is taken any more. */
  #end(): void {
    this.#isOver = true;
    this.#intake.end();
  }

  #clean(text: string): string {
    return this.cadre.secrets?.redact(text) ?? text;
  }
}

const mayBringSignIns = ({ definition }: LoadedCadre): boolean =>
  Object.values(definition.config.mcpServers).some(({ auth }) => auth !== undefined);

const orLeft = <Value>(work: Promise<Value>, left: Promise<never> | undefined): Promise<Value> =>
  left === undefined ? work : Promise.race([work, left]);
