// A run that this process works on: its journal, what reaches into it, and the messages that it takes.
// TAKE-1. A message is recorded before it has an effect, and removed from the queue after that. An id that the journal
//         holds is not taken again. So over a crash at any point each message is taken once.
// TAKE-2. A resumed run takes what is in its queue before anything else.
// TAKE-3. Once the run's end is decided it takes nothing more: what is still in the queue belongs to its sender again.

import { setTimeout } from 'node:timers/promises';
import { type ControlTaken, EVENT_VERSION, type RunEvent, type RunId, type RunStart } from '../journal/event.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { RunLease, RunStore } from '../journal/store.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { FaultError, fail, fault, faultOf } from '../kernel/fault.ts';
import type { RunOutcome } from '../kernel/outcome.ts';
import { ROOT } from '../kernel/path.ts';
import type { Services } from '../kernel/session/session-spec.ts';
import type { TeamStrategy } from '../patterns/team/strategy.ts';
import { cancelledBy, orAborted, Stop } from '../world/abort.ts';
import type { Outside } from '../world/state/background-runs/outside.ts';
import { Suspension } from '../world/suspension.ts';
import { factsOf } from './agent-facts.ts';
import type { BroadcastHook } from './broadcast-hook.ts';
import { type Bus, openBus, type Watcher } from './bus.ts';
import { execute } from './execute.ts';
import { leaves } from './leaves.ts';
import type { Approver, CadreAssembly } from './resources.ts';
import { soon } from './run-scheduler.ts';
import { openRunState, type RunState, recordable } from './run-state.ts';

/** Watches every run from its first event on; `recorded` is what happened in it before. */
export type RunObserver = (run: RunId, recorded: readonly RunEvent[]) => Watcher;

/** Settles when the run may begin its work. Until then it is recorded, can be reached, and does nothing. */
export type RunTurn = Promise<unknown>;

export interface RunParts {
  readonly store: RunStore;
  readonly services: Services;
  readonly approve: Approver;
  /** How teams work together. Default: in cycles. */
  readonly strategy?: TeamStrategy;
  /** Sees what is said to a team before the team does. */
  readonly onBroadcast?: BroadcastHook;
  readonly observe?: RunObserver;
  /** Runs can be let go, so that they go on elsewhere or later. Those of a store that machines share always can. */
  readonly canLeave?: boolean;
  /** Gets warnings about a watcher that failed, and about messages that could not be read. */
  warn(text: string): void;
  now(): number;
}

/** A run as it is begun or resumed. */
export interface BegunRun {
  readonly start: Omit<RunStart, 'seq' | 'at'>;
  readonly recorded: readonly RunEvent[];
  readonly lease: RunLease;
  readonly assembly: CadreAssembly;
  readonly outside: Outside;
  readonly turn?: RunTurn | undefined;
  /** False if it is known that no message to it lies in the store. */
  readonly hasMessages?: boolean | undefined;
}

/** What became of a message. */
export type Taken = Pick<ControlTaken, 'message' | 'refused' | 'code'>;

export class WorkedRun {
  readonly run: RunId;
  readonly bus: Bus;
  readonly outcome: Promise<RunOutcome>;
  readonly #begun: BegunRun;
  readonly #parts: RunParts;
  readonly #state: RunState;
  readonly #stop = new Stop();
  /** Aborted when a final answer is asked for. */
  readonly #graceful = new Stop();
  /** Settles when the journal is open. */
  readonly #opened: Promise<void>;
  #journal: Journal | undefined;
  /** By id. Most runs take no message. */
  #taken: Map<string, Taken> | undefined;
  #taking: Promise<void> | undefined;
  #isOver = false;
  /** Only runs that may go on elsewhere can be let go. */
  readonly #suspension: Suspension | undefined;
  /** Rejects when the run is let go, which may be before its work has begun. */
  readonly #left: Promise<never> | undefined;
  #letGo: (why: FaultError) => void = () => {};

  constructor(begun: BegunRun, parts: RunParts) {
    const { start, recorded, assembly, outside } = begun;
    const { run } = start;
    this.run = run;
    this.#begun = begun;
    this.#parts = parts;
    if (parts.store.fleet !== undefined || parts.canLeave === true) {
      this.#suspension = new Suspension();
      this.#left = this.#untilLeft();
    }
    this.bus = openBus((thrown) =>
      parts.warn(this.#clean(`A watcher of run ${run} failed and was dropped: ${String(thrown)}`)),
    );
    if (parts.observe !== undefined) this.bus.watch(parts.observe(run, recorded));
    this.#state = openRunState({
      run,
      cadre: assembly.cadre,
      recorded,
      stop: this.#stop,
      graceful: this.#graceful,
      outside,
      now: parts.now,
    });
    for (const event of recorded) if (event.type === 'control') this.#note(event);
    this.#opened = new Promise(soon); // the caller that started the run can still watch its first event
    this.outcome = this.#work();
  }

  /**
   * Records a message and lets it take effect. Throws `run/finished` if it comes too late, and why a verdict does not
   * count, which is not recorded then.
   */
  async take(said: ControlMessage): Promise<Taken> {
    await this.#opened;
    const wrong = said.kind === 'verdict' && !this.#taken?.has(said.id) ? this.#state.refusal(said) : undefined;
    if (wrong !== undefined && (!this.#isOver || wrong.code === 'approval/decided')) throw new FaultError(wrong);
    return this.#record(said);
  }

  async #record(said: ControlMessage): Promise<Taken> {
    const known = this.#taken?.get(said.id);
    if (known !== undefined) return known;
    const journal = this.#journal;
    if (this.#isOver || journal === undefined)
      fail('run/finished', `Run ${this.run} has ended, so it takes no message.`); // TAKE-3
    const message = recordable(this.#toItself(said), this.#begun.assembly.secrets);
    const wrong = this.#state.refusal(message);
    const refused = wrong && { refused: wrong.message, code: wrong.code };
    const event = journal.append({ type: 'control', message, ...refused }) as ControlTaken;
    this.#note(event);
    const written = journal.flush(); // TAKE-1
    if (written !== undefined) await written;
    this.#state.add(event);
    return event;
  }

  /**
   * Lets go of the run, so that another process can go on with it. Calls that are under way may end within this time and
   * are recorded; those that have not ended are in doubt. Settles when the run is free, or has ended.
   */
  async leave(withinMs: number): Promise<void> {
    if (this.#suspension === undefined) return;
    await this.#opened;
    const late = new AbortController();
    const over = this.outcome.catch(() => undefined); // the caller of outcome() gets the failure
    await Promise.race([this.#suspension.rest(), over, setTimeout(withinMs, undefined, { signal: late.signal })]);
    late.abort();
    if (this.#isOver) return void (await over);
    await this.#journal?.flush();
    this.#letGo(new FaultError(fault('run/taken-over', `This process has let go of run ${this.run}.`)));
    await over;
    this.#stop.abort(cancelledBy('Its process has let go of the run.')); // after the release: nothing of it is recorded
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
      this.#stop.abort(cancelledBy(why));
      return;
    }
    this.#state.inboxes.stop(why);
    this.#state.backgroundRuns.stop(why);
    this.#graceful.abort(cancelledBy(why));
  }

  async #work(): Promise<RunOutcome> {
    const { start, recorded, lease, assembly, turn, hasMessages = recorded.length > 0 } = this.#begun;
    const { store, services, approve, strategy, onBroadcast, now } = this.#parts;
    const state = this.#state;
    const { inboxes, backgroundRuns, verdicts, offers, spent } = state;
    const { bus } = this;
    await this.#opened;
    const journal = openJournal(lease, {
      recorded,
      now,
      observe: bus.event,
      failed: (thrown) => this.#stop.abort(new FaultError(faultOf(thrown))), // what is under way cannot be recorded any more
    });
    this.#journal = journal;
    journal.append(recorded.length === 0 ? start : { type: 'run-resume', version: EVENT_VERSION });
    const unwatch = store.control.watch(this.run, () => void this.#takeWaiting());
    const { run, kernel, models } = start;
    const graceful = this.#graceful;
    try {
      if (hasMessages) await this.#takeWaiting(); // TAKE-2
      const left = this.#left;
      if (turn !== undefined) await orLeft(this.#turnOf(turn, journal), left);
      const work = execute(start, {
        cadre: assembly.cadre,
        services,
        journal,
        state,
        show: bus.live,
        leaves: leaves({
          run,
          kernel,
          assembly,
          store,
          journal,
          bus,
          inboxes,
          backgroundRuns,
          verdicts,
          offers,
          graceful,
          models,
          approve,
          onBroadcast,
          now,
        }),
        launching: backgroundRuns,
        signal: this.#stop,
        graceful,
        given: () => state.shared(),
        ending: () => this.#ending(),
        suspension: this.#suspension,
        facts: (agent, signal) => factsOf(agent, assembly, signal),
        spentBelow: (path) => spent?.below(path) ?? NOTHING_SPENT,
        strategy,
        now,
      });
      return await orLeft(work, left);
    } finally {
      this.#isOver = true;
      unwatch();
      await this.#taking;
      await lease.release();
    }
  }

  /** Waits for the turn, or for a cancel. The beginning of the run is on the disk before that. */
  async #turnOf(turn: RunTurn, journal: Journal): Promise<void> {
    await journal.flush();
    try {
      await orAborted(turn, this.#stop);
    } catch (thrown) {
      if (!this.#stop.aborted) throw thrown;
    }
  }

  /** Warns of a message that was taken after the last turn of its receiver. */
  #ending(): void {
    this.#isOver = true;
    if (this.#taken === undefined) return;
    const left = this.#state.inboxes.take({ session: ROOT }).messages.map(({ text }) => text);
    for (const { message } of this.#taken.values()) {
      if (message.kind !== 'send' || message.to !== undefined || !left.includes(message.text)) continue;
      this.#parts.warn(
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
      this.#parts.warn(this.#clean(`A message to run ${this.run} could not be taken: ${message}`));
    });
    this.#taking = told;
    return told;
  }

  async #takeAll(): Promise<void> {
    const { control } = this.#parts.store;
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
    return this.#begun.assembly.secrets?.redact(text) ?? text;
  }
}

const NOTHING_SPENT = { usd: 0, tokens: 0 };

const orLeft = <Value>(work: Promise<Value>, left: Promise<never> | undefined): Promise<Value> =>
  left === undefined ? work : Promise.race([work, left]);
