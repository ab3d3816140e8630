// The messages that a run of this process takes: from its own process, and from the store's queue.
// TAKE-1. A message is recorded before it has an effect, and removed from the queue after that. An id that the journal
//         holds is not taken again. So over a crash at any point each message is taken once.
// TAKE-2. A resumed run takes what is in its queue before anything else.
// TAKE-3. Once the run's end is decided it takes nothing more: what is still in the queue belongs to its sender again.

import type { ControlTaken, RunEvent } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { FaultError, fail, faultOf } from '../kernel/fault.ts';
import { ROOT } from '../kernel/path.ts';
import type { LiveRun } from './driven-run.ts';
import { recordable } from './run-state.ts';

/** The fate of a message. */
export type TakenMessage = Pick<ControlTaken, 'message' | 'refused' | 'code'>;

export class ControlIntake {
  readonly #run;
  /** Messages by their id. Most runs take none. */
  #taken: Map<string, TakenMessage> | undefined;
  #taking: Promise<void> | undefined;
  #journal: Journal | undefined;

  constructor(run: Pick<LiveRun, 'start' | 'state' | 'cadre' | 'environment'>, recorded: readonly RunEvent[]) {
    this.#run = run;
    for (const event of recorded) if (event.type === 'control') this.#note(event);
  }

  /** Takes messages until `end`. */
  begin(journal: Journal): void {
    this.#journal = journal;
  }

  /** TAKE-3. */
  end(): void {
    this.#journal = undefined;
  }

  /**
   * Records a message and lets it take effect. Throws `run/finished` if it comes too late, and why a verdict does not
   * count, which is not recorded then.
   */
  take(message: ControlMessage): Promise<TakenMessage> {
    const { state } = this.#run;
    const wrong = message.kind === 'verdict' && !this.#taken?.has(message.id) ? state.refusal(message) : undefined;
    const isOver = this.#journal === undefined;
    if (wrong !== undefined && (!isOver || wrong.code === 'approval/decided')) throw new FaultError(wrong);
    return this.#record(message);
  }

  /** Takes what is in the queue, in its order, one at a time. What arrives meanwhile is taken afterwards. */
  takeWaiting(): Promise<void> {
    const before = this.#taking;
    const taking = before === undefined ? this.#takeAll() : before.then(() => this.#takeAll());
    const reported = taking.catch((thrown: unknown) => {
      if (this.#journal === undefined) return; // the message stays its sender's (TAKE-3)
      this.#warn(`A message to run ${this.#run.start.run} could not be taken: ${faultOf(thrown).message}`);
    });
    this.#taking = reported;
    return reported;
  }

  /** Settles when nothing is being taken. */
  async settled(): Promise<void> {
    await this.#taking;
  }

  /** Warns of messages that were taken after the last turn of the run's own session. */
  warnOfUnheard(): void {
    if (this.#taken === undefined) return;
    const { start, state } = this.#run;
    const unheard = state.inboxes.take({ session: ROOT }).messages.map(({ text }) => text);
    for (const { message } of this.#taken.values()) {
      if (message.kind !== 'send' || message.to !== undefined || !unheard.includes(message.text)) continue;
      this.#warn(`A message came after the last turn of run ${start.run} and was not heard: ${message.text}`);
    }
  }

  async #takeAll(): Promise<void> {
    const { start, environment } = this.#run;
    const { control } = environment.store;
    for (const message of await control.pending(start.run)) {
      if (this.#journal === undefined) return; // TAKE-3
      await this.#record(message);
      await control.remove(start.run, [message.id]);
    }
  }

  async #record(sent: ControlMessage): Promise<TakenMessage> {
    const { start, state, cadre } = this.#run;
    const known = this.#taken?.get(sent.id);
    if (known !== undefined) return known;
    const journal = this.#journal ?? fail('run/finished', `Run ${start.run} has ended, so it takes no message.`); // TAKE-3
    const message = recordable(this.#toItself(sent), cadre.secrets);
    const wrong = state.refusal(message);
    const refused = wrong && { refused: wrong.message, code: wrong.code };
    const event = journal.append({ type: 'control', message, ...refused }) as ControlTaken;
    this.#note(event);
    const written = journal.flush(); // TAKE-1
    if (written !== undefined) await written;
    state.add(event);
    return event;
  }

  #note(event: TakenMessage): void {
    this.#taken ??= new Map();
    this.#taken.set(event.message.id, event);
  }

  /** A message to the run itself names no receiver. */
  #toItself(message: ControlMessage): ControlMessage {
    if (!('to' in message) || message.to !== this.#run.start.run) return message;
    const { to: _, ...rest } = message;
    return rest;
  }

  #warn(text: string): void {
    const { cadre, environment } = this.#run;
    environment.warn(cadre.secrets?.redact(text) ?? text);
  }
}
