// A run that this process works on: its journal, what reaches into it, and the messages that it takes.
// TAKE-1. A message is recorded before it has an effect, and removed from the queue after that. An id that the journal
//         holds is not taken again. So over a crash at any point each message is taken once.
// TAKE-2. A run that is taken up takes what lies in its queue before anything else.
// TAKE-3. Once the run's end is decided it takes nothing more: what still lies in the queue is its sender's again.

import type { RunEvent, RunId, RunStart, Unstamped, ControlTaken } from '../journal/event.ts';
import { EVENT_VERSION } from '../journal/event.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { RunLease, RunStore } from '../journal/store.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { fail, FaultError, faultOf } from '../kernel/fault.ts';
import type { RunOutcome } from '../kernel/outcome.ts';
import { ROOT } from '../kernel/path.ts';
import type { Services } from '../kernel/session.ts';
import type { SharedContext, SpawnId } from '../kernel/spawned.ts';
import { quoted } from '../patterns/quoted.ts';
import type { TeamStrategy } from '../patterns/team/strategy.ts';
import { cancelledBy, Stop } from '../world/abort.ts';
import { type Boxes, openBoxes } from '../world/boxes.ts';
import { redactedValue } from '../world/redacted.ts';
import { yardOnDemand } from '../world/yard/on-demand.ts';
import type { Outside } from '../world/yard/outside.ts';
import { openYard, type Yard } from '../world/yard/yard.ts';
import { factsOf } from './agent-facts.ts';
import type { Approver, Assembly } from './assembly.ts';
import { soon } from './beginning.ts';
import { type Bus, openBus, type Watcher } from './bus.ts';
import { execute } from './execute.ts';
import { leaves } from './leaves.ts';
import { spentBelow } from './spent-below.ts';
import { Verdicts } from './verdicts.ts';

export interface RunParts {
  readonly store: RunStore;
  readonly services: Services;
  readonly approve: Approver;
  /** How teams work together, where it is not in cycles. */
  readonly strategy?: TeamStrategy;
  /** Watches every run from its first event on; `recorded` is what happened in it before. */
  observe?(run: RunId, recorded: readonly RunEvent[]): Watcher;
  /** Told of a watcher that failed, and of messages that could not be read. */
  warn(text: string): void;
  now(): number;
}

/** A run as it is begun, or taken up again. */
export interface Begun {
  readonly start: Omit<RunStart, 'seq' | 'at'>;
  readonly recorded: readonly RunEvent[];
  readonly lease: RunLease;
  readonly assembly: Assembly;
  readonly outside: Outside;
}

export class WorkedRun {
  readonly run: RunId;
  readonly bus: Bus;
  readonly outcome: Promise<RunOutcome>;
  readonly #begun: Begun;
  readonly #parts: RunParts;
  readonly #boxes: Boxes;
  readonly #yard: Yard;
  readonly #verdicts = new Verdicts();
  readonly #stop = new Stop();
  /** Aborted when a final answer is asked for. */
  readonly #graceful = new Stop();
  /** Settles when the journal is open. */
  readonly #opened: Promise<void>;
  #journal: Journal | undefined;
  /** What each message came to: undefined where it had its effect, else why it had none. */
  readonly #taken = new Map<string, string | undefined>();
  #shared: SharedContext | undefined;
  #taking: Promise<void> | undefined;
  #isOver = false;

  constructor(begun: Begun, parts: RunParts) {
    const { start, recorded, outside } = begun;
    const { run } = start;
    const { now } = parts;
    this.run = run;
    this.#begun = begun;
    this.#parts = parts;
    this.bus = openBus((thrown) =>
      parts.warn(this.#clean(`A watcher of run ${run} failed and was dropped: ${String(thrown)}`)),
    );
    if (parts.observe !== undefined) this.bus.watch(parts.observe(run, recorded));
    const boxes = openBoxes(recorded, now);
    this.#boxes = boxes;
    this.#yard = yardOnDemand(() => openYard({ run, recorded, boxes, outside, now }));
    for (const event of recorded) this.#restore(event);
    this.#opened = new Promise(soon); // whoever started the run gets the chance to watch its first event
    this.outcome = this.#work();
  }

  /** Records a message and lets it take effect. Throws `run/finished` where it comes too late. */
  async take(message: ControlMessage): Promise<Unstamped<ControlTaken>> {
    await this.#opened;
    const clean = this.#redacted(message);
    if (this.#taken.has(clean.id)) return eventOf(clean, this.#taken.get(clean.id));
    const journal = this.#journal;
    if (this.#isOver || journal === undefined) fail('run/finished', `Run ${this.run} has ended, so it takes no message.`); // TAKE-3
    const event = eventOf(clean, this.#refusal(clean));
    this.#taken.set(clean.id, event.refused);
    journal.append(event);
    const written = journal.flush(); // TAKE-1
    if (written !== undefined) await written;
    this.#apply(event);
    return event;
  }

  /** Tells the work to end, and says nothing to the run. */
  interrupt(how: 'stop' | 'cancel', reason: string): void {
    if (how === 'cancel') this.#stop.abort(cancelledBy(this.#clean(reason)));
    else this.#finishUp(this.#clean(reason));
  }

  async #work(): Promise<RunOutcome> {
    const { start, recorded, lease, assembly } = this.#begun;
    const { store, services, approve, strategy, now } = this.#parts;
    await this.#opened;
    const journal = openJournal(lease, {
      recorded,
      now,
      observe: this.bus.event,
      failed: (thrown) => this.#stop.abort(new FaultError(faultOf(thrown))), // what is under way cannot be recorded any more
    });
    this.#journal = journal;
    journal.append(recorded.length === 0 ? start : { type: 'run-resume', version: EVENT_VERSION });
    const unwatch = store.control.watch(this.run, () => void this.#takeWaiting());
    const { run, kernel, models } = start;
    const graceful = this.#graceful;
    try {
      if (recorded.length > 0) await this.#takeWaiting(); // TAKE-2
      return await execute(start, {
        cadre: assembly.cadre,
        services,
        journal,
        leaves: leaves({
          run,
          kernel,
          assembly,
          store,
          journal,
          bus: this.bus,
          boxes: this.#boxes,
          yard: this.#yard,
          verdicts: this.#verdicts,
          graceful,
          models,
          approve,
          now,
        }),
        launching: this.#yard,
        signal: this.#stop,
        graceful,
        given: () => this.#shared,
        ending: () => {
          this.#isOver = true;
        },
        facts: (agent, signal) => factsOf(agent, assembly, signal),
        spentBelow: spentBelow(recorded),
        strategy,
        now,
      });
    } finally {
      this.#isOver = true;
      unwatch();
      await this.#taking;
      await lease.release();
    }
  }

  /** Takes what lies in the queue, in its order. One at a time: what arrives meanwhile is taken after. */
  #takeWaiting(): Promise<void> {
    const before = this.#taking;
    const taking = (before === undefined ? this.#takeAll() : before.then(() => this.#takeAll())).catch((thrown: unknown) => {
      if (!this.#isOver) this.#parts.warn(this.#clean(`A message to run ${this.run} could not be taken: ${faultOf(thrown).message}`));
    });
    this.#taking = taking;
    return taking;
  }

  async #takeAll(): Promise<void> {
    const { control } = this.#parts.store;
    for (const message of await control.pending(this.run)) {
      if (this.#isOver) return; // TAKE-3
      await this.take(message);
      await control.remove(this.run, [message.id]);
    }
  }

  /** Why a message has no effect, in words. */
  #refusal(message: ControlMessage): string | undefined {
    switch (message.kind) {
      case 'verdict':
        return this.#verdicts.refusal(message.op);
      case 'cancel':
      case 'send':
        return this.#isOwn(message.to) || this.#yard.isThere(message.to)
          ? undefined
          : `There is no run ${message.to} at work or waiting in run ${this.run}.`;
      default:
        return undefined;
    }
  }

  #isOwn(to: SpawnId | undefined): to is undefined {
    return to === undefined || to === this.run;
  }

  /** On the first run and when it is taken up again: what a message does follows from its event. */
  #apply(event: Unstamped<ControlTaken>): void {
    if (event.refused !== undefined) return;
    const { message } = event;
    switch (message.kind) {
      case 'stop':
        return this.#finishUp(message.reason);
      case 'cancel':
        if (this.#isOwn(message.to)) this.#stop.abort(cancelledBy(message.reason));
        else this.#yard.cancel(message.to, message.reason);
        return;
      case 'send': {
        const text = quoted(message.text); // it arrives beside what the patterns tell
        if (this.#isOwn(message.to)) this.#boxes.send(ROOT, text);
        else this.#yard.send(message.to, text);
        return;
      }
      case 'verdict':
        return this.#verdicts.add(event as RunEvent);
      case 'share-context':
        this.#shared = { ...this.#shared, ...message.context };
    }
  }

  #restore(event: RunEvent): void {
    this.#verdicts.add(event);
    if (event.type !== 'control') return;
    this.#taken.set(event.message.id, event.refused);
    if (event.message.kind !== 'verdict' && event.message.kind !== 'send') this.#apply(event);
  }

  /** Sessions are asked for their final answer, and no spawned run begins. */
  #finishUp(reason: string): void {
    this.#boxes.stop(reason);
    this.#yard.stop(reason);
    this.#graceful.abort(cancelledBy(reason));
  }

  #clean(text: string): string {
    return this.#begun.assembly.secrets?.redact(text) ?? text;
  }

  #redacted(message: ControlMessage): ControlMessage {
    const { secrets } = this.#begun.assembly;
    return secrets === undefined ? message : redactedValue(message, secrets);
  }
}

const eventOf = (message: ControlMessage, refused: string | undefined): Unstamped<ControlTaken> => ({
  type: 'control',
  message,
  ...(refused !== undefined && { refused }),
});
