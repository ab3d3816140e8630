// A handle of a run: an engine's functions, bound to the run.

import { randomUUID } from 'node:crypto';
import type { RunEvent, RunId } from '../journal/event.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { fail } from '../kernel/fault.ts';
import type { RunOutcome } from '../kernel/outcome.ts';
import type { Watcher } from '../run/bus.ts';
import type { LiveEvent } from '../world/world.ts';
import type { MessageReceipt, RunHandle, RunReach, UnsentMessage } from './contract.ts';

/** A message with an id of its own: sent again, it is another message. */
export const newMessage = (saying: UnsentMessage): ControlMessage => ({ ...saying, id: randomUUID() });

/** A class, because a program makes one for each of many runs. */
export class Handle implements RunHandle {
  readonly run: RunId;
  readonly #engine: RunReach;
  readonly #own;

  constructor(
    run: RunId,
    engine: RunReach,
    own?: { readonly outcome: Promise<RunOutcome>; interrupt(how: 'stop' | 'cancel', reason: string): void },
  ) {
    this.run = run;
    this.#engine = engine;
    this.#own = own;
  }

  events(from?: number, signal?: AbortSignal): AsyncIterable<RunEvent> {
    return this.#engine.events(this.run, from, signal);
  }

  live(): AsyncIterable<LiveEvent> {
    return this.#engine.live(this.run);
  }

  watch(watcher: Watcher): () => void {
    return this.#engine.watch(this.run, watcher);
  }

  outcome(): Promise<RunOutcome> {
    return this.#own?.outcome ?? this.#engine.outcome(this.run);
  }

  control(saying: UnsentMessage): Promise<MessageReceipt> {
    return this.#engine.control(this.run, newMessage(saying));
  }

  stop(reason: string): Promise<MessageReceipt> {
    return this.control({ kind: 'stop', reason });
  }

  cancel(reason: string): Promise<MessageReceipt> {
    return this.control({ kind: 'cancel', reason });
  }

  send(text: string): Promise<MessageReceipt> {
    return this.control({ kind: 'send', text });
  }

  interrupt(how: 'stop' | 'cancel', reason: string): void {
    if (this.#own === undefined) fail('usage', `Another process works on run ${this.run}: cadre runs cancel ends it.`);
    this.#own.interrupt(how, reason);
  }
}
