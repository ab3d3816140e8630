// A run that this process works on: its journal, what reaches into it, and the messages that it takes.
// TAKE-1. A message is recorded before it has an effect, and removed from the queue after that. An id that the journal
//         holds is not taken again. So over a crash at any point each message is taken once.
// TAKE-2. A resumed run takes what is in its queue before anything else.
// TAKE-3. Once the run's end is decided it takes nothing more: what is still in the queue belongs to its sender again.

import { setTimeout } from 'node:timers/promises';
import type { AgentDefinition, CadreDefinition } from '../agents/definition.ts';
import { type ControlTaken, EVENT_VERSION, type RunEvent, type RunId } from '../journal/event.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { RunLease } from '../journal/log.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { FaultError, fail, fault, faultOf } from '../kernel/fault.ts';
import type { RunOutcome } from '../kernel/outcome.ts';
import { ROOT } from '../kernel/path.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { cancelledBy, orAborted, Stop } from '../world/abort.ts';
import { Suspension } from '../world/suspension.ts';
import type { LiveEvent, Show } from '../world/world.ts';
import { type AgentFacts, factsOf } from './agent-facts.ts';
import { type Bus, openBus, watchQueue } from './bus.ts';
import { type LiveRun, type NewRunStart, onModels } from './driven-run.ts';
import type { RunEnvironment, RunObserver } from './environment.ts';
import { execute } from './execute.ts';
import { isolationOf } from './isolate.ts';
import { leavesOf } from './leaves.ts';
import type { LoadedCadre } from './loaded-cadre.ts';
import { outsideRuns } from './outside-runs.ts';
import { soon } from './run-scheduler.ts';
import { openRunState, type RunState, recordable } from './run-state.ts';

/** What begins, or goes on: nothing is recorded of a new run. */
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

/** What became of a message. */
export type Taken = Pick<ControlTaken, 'message' | 'refused' | 'code'>;

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
  #journal: Journal | undefined;
  /** By id. Most runs take no message. */
  #taken: Map<string, Taken> | undefined;
  #taking: Promise<void> | undefined;
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
    for (const event of recorded) if (event.type === 'control') this.#note(event);
    this.#opened = new Promise(soon); // the caller that started the run can still watch its first event
    this.outcome = this.#work();
  }

  get journal(): Journal {
    return this.#journal ?? fail('internal', `The journal of run ${this.run} is not open yet.`);
  }

  get show(): Show {
    return this.bus.live;
  }

  facts(agent: AgentDefinition, signal: StopSignal): AgentFacts | Promise<AgentFacts> {
    return factsOf(agent, this.cadre, signal);
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

  /** What happens between two events, from now on. */
  async *live(): AsyncGenerator<LiveEvent> {
    const coming = watchQueue<LiveEvent>(this, (tell) => ({ live: tell }));
    try {
      yield* coming;
    } finally {
      coming.leave();
    }
  }

  /**
   * Records a message and lets it take effect. Throws `run/finished` if it comes too late, and why a verdict does not
   * count, which is not recorded then.
   */
  async take(said: ControlMessage): Promise<Taken> {
    await this.#opened;
    const wrong = said.kind === 'verdict' && !this.#taken?.has(said.id) ? this.state.refusal(said) : undefined;
    if (wrong !== undefined && (!this.#isOver || wrong.code === 'approval/decided')) throw new FaultError(wrong);
    return this.#record(said);
  }

  async #record(said: ControlMessage): Promise<Taken> {
    const known = this.#taken?.get(said.id);
    if (known !== undefined) return known;
    const journal = this.#journal;
    if (this.#isOver || journal === undefined)
      fail('run/finished', `Run ${this.run} has ended, so it takes no message.`); // TAKE-3
    const message = recordable(this.#toItself(said), this.cadre.secrets);
    const wrong = this.state.refusal(message);
    const refused = wrong && { refused: wrong.message, code: wrong.code };
    const event = journal.append({ type: 'control', message, ...refused }) as ControlTaken;
    this.#note(event);
    const written = journal.flush(); // TAKE-1
    if (written !== undefined) await written;
    this.state.add(event);
    return event;
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

  async #work(): Promise<RunOutcome> {
    const { recorded, lease, turn, hasMessages = recorded.length > 0 } = this.#setup;
    const { store, now } = this.environment;
    await this.#opened;
    const journal = openJournal(lease, {
      recorded,
      now,
      observe: this.bus.event,
      failed: (thrown) => this.signal.abort(new FaultError(faultOf(thrown))), // what is under way cannot be recorded any more
    });
    this.#journal = journal;
    journal.append(recorded.length === 0 ? this.start : { type: 'run-resume', version: EVENT_VERSION });
    const unwatch = store.control.watch(this.run, () => void this.#takeWaiting());
    try {
      if (hasMessages) await this.#takeWaiting(); // TAKE-2
      const left = this.#left;
      if (turn !== undefined) await orLeft(this.#turnOf(turn, journal), left);
      return await orLeft(execute(this, leavesOf(this), isolationOf(this)), left);
    } finally {
      this.#isOver = true;
      unwatch();
      await this.#taking;
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

  /** Warns of a message that was taken after the last turn of its receiver. */
  ending(): void {
    this.#isOver = true;
    if (this.#taken === undefined) return;
    const left = this.state.inboxes.take({ session: ROOT }).messages.map(({ text }) => text);
    for (const { message } of this.#taken.values()) {
      if (message.kind !== 'send' || message.to !== undefined || !left.includes(message.text)) continue;
      this.environment.warn(
        this.#clean(`A message came after the last turn of run ${this.run} and was not heard: ${message.text}`),
      );
    }
  }

  /** Takes what is in the queue, in its order, one at a time. What arrives meanwhile is taken afterwards. */
  #takeWaiting(): Promise<void> {
    const before = this.#taking;
    const taking = before === undefined ? this.#takeAll() : before.then(() => this.#takeAll());
    const told = taking.catch((thrown: unknown) => {
      if (this.#isOver) return; // the message stays its sender's (TAKE-3)
      const { message } = faultOf(thrown);
      this.environment.warn(this.#clean(`A message to run ${this.run} could not be taken: ${message}`));
    });
    this.#taking = told;
    return told;
  }

  async #takeAll(): Promise<void> {
    const { control } = this.environment.store;
    for (const message of await control.pending(this.run)) {
      if (this.#isOver) return; // TAKE-3
      await this.#record(message);
      await control.remove(this.run, [message.id]);
    }
  }

  #note(event: Taken): void {
    this.#taken ??= new Map();
    this.#taken.set(event.message.id, event);
  }

  /** A message to the run itself names no receiver. */
  #toItself(message: ControlMessage): ControlMessage {
    if (!('to' in message) || message.to !== this.run) return message;
    const { to: _, ...rest } = message;
    return rest;
  }

  #clean(text: string): string {
    return this.cadre.secrets?.redact(text) ?? text;
  }
}

const orLeft = <Value>(work: Promise<Value>, left: Promise<never> | undefined): Promise<Value> =>
  left === undefined ? work : Promise.race([work, left]);
