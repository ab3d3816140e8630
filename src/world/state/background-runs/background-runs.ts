// The background runs of a run: which are accepted, wait, queue, work and are over. Decisions that depend on timing are
// made here, and the recorder above records each of them.
// BACKGROUND-1. Accepting is one synchronous step: limits are counted and taken before another request is looked at.
//     What is taken stands in the registry when the event is added, which is part of that step (RECORD-5).
// BACKGROUND-2. A run is over when its end is announced, not before: what waits for it finds the announcement made.
// BACKGROUND-3. Cancelling reaches a run in every state, and all that it spawned, and is answered when it has ended.
// BACKGROUND-4. Once the drive of a spawned run has thrown, nothing waits any more: every wait throws the same, and so
//     does the next call.
// BACKGROUND-5. After a graceful stop no run begins: those that wait or queue end as cancelled, those at work finish.

import type { ControlTaken, InstantOp, RunEvent } from '../../../journal/event.ts';
import type { EffectOf, EffectValues, SessionRef, SettledResult } from '../../../kernel/effect.ts';
import type { SpawnId, SpawnReport } from '../../../kernel/spawned.ts';
import type { StopSignal } from '../../../kernel/stop-signal.ts';
import type { Op } from '../../world.ts';
import type { Fold } from '../projection.ts';
import { accept } from './accept.ts';
import { awaitRuns } from './await-runs.ts';
import {
  type BackgroundEffect,
  type BackgroundRunsParts,
  type BackgroundState,
  openBackgroundState,
} from './background-state.ts';
import { begin } from './begin.ts';

/** The drive of a spawned run's agent asks for these, and reports to them. */
export interface LaunchHooks {
  /** The signal that this run works under. */
  opened(run: SpawnId, op: Op): StopSignal;
  /** Ends the runs below a session that ends; settles when they have ended. */
  endBelow(session: SessionRef, reason: string): Promise<void>;
  /** Ends every wait with what was thrown (BACKGROUND-4). */
  fail(thrown: unknown): void;
  /** Throws what `fail` was given. */
  throwIfFailed(): void;
}

export interface BackgroundRuns extends LaunchHooks, Fold {
  perform(effect: BackgroundEffect, op: Op): SettledResult | Promise<SettledResult>;
  /** The session of a run that was spawned here and is not over. */
  sessionOf(run: SpawnId): SessionRef | undefined;
  /** A graceful stop (BACKGROUND-5) that holds in this process alone. */
  stop(reason: string): void;
}

export const openBackgroundRuns = (parts: BackgroundRunsParts): BackgroundRuns =>
  new OpenBackgroundRuns(openBackgroundState(parts));

class OpenBackgroundRuns implements BackgroundRuns {
  readonly #state: BackgroundState;

  constructor(state: BackgroundState) {
    this.#state = state;
  }

  perform(effect: BackgroundEffect, op: Op): SettledResult | Promise<SettledResult> {
    const { registry, reported, run } = this.#state;
    switch (effect.kind) {
      case 'spawn':
        return { ok: true, value: accept(effect, op, { registry, run }) }; // BACKGROUND-1
      case 'await-runs':
        return awaitRuns(effect, op, this.#state);
      case 'begin':
        return begin(effect, op, this.#state);
      case 'announce':
        return { ok: true, value: null };
      case 'runs': {
        const runs = effect.runs ?? (effect.below === undefined ? [] : this.#runsBelow(effect.below));
        return { ok: true, value: reported.reports(runs, effect.results) };
      }
      case 'cancel-runs':
        return this.#cancelRuns(effect);
      case 'send':
        return { ok: true, value: this.#receiverOf(effect.run) };
    }
  }

  add(event: RunEvent): void {
    this.#state.registry.add(event);
    if (event.type === 'op') this.#addInstant(event);
    else if (event.type === 'control') this.#addControl(event);
  }

  sessionOf(run: SpawnId): SessionRef | undefined {
    return this.#receiverOf(run).to ?? undefined;
  }

  opened(run: SpawnId, op: Op): StopSignal {
    return this.#state.stops.signalOf(run, op.signal);
  }

  async endBelow(session: SessionRef, reason: string): Promise<void> {
    await this.#end(this.#runsBelow(session), reason);
  }

  fail(thrown: unknown): void {
    this.#state.waits.fail(thrown);
  }

  throwIfFailed(): void {
    this.#state.waits.throwIfFailed();
  }

  stop(reason: string): void {
    this.#state.stops.stopGracefully(reason);
  }

  async #cancelRuns({ runs, reason }: EffectOf<'cancel-runs'>): Promise<SettledResult<readonly SpawnReport[]>> {
    await this.#end(runs, reason);
    return { ok: true, value: this.#state.reported.reports(runs) };
  }

  /** Settles when all have ended (BACKGROUND-3). No signal ends this wait, so that every cancellation is confirmed. */
  async #end(runs: readonly SpawnId[], reason: string): Promise<void> {
    const { reported, stops, waits, now } = this.#state;
    for (const run of runs) stops.cancel(run, reason);
    await waits.until(() => runs.every((run) => reported.isOver(run)), { now });
  }

  #runsBelow(session: SessionRef): readonly SpawnId[] {
    return this.#state.registry.below(session).map(({ run }) => run);
  }

  /** The receiver of a message to a run. The message is in its inbox once its event is added. */
  #receiverOf(run: SpawnId): EffectValues['send'] {
    const { registry } = this.#state;
    const spawned = registry.runs.get(run);
    if (spawned === undefined) return { to: null, state: 'failed' };
    return { to: spawned.outcome === undefined ? spawned.session : null, state: registry.stateOf(spawned) };
  }

  #addInstant({ kind, detail, value }: InstantOp): void {
    const { registry, slots, waits } = this.#state;
    if (kind === 'begin') {
      const spawned = registry.runs.get((detail as EffectOf<'begin'>).run);
      if (spawned !== undefined && (value as EffectValues['begin']).began) slots.occupy(spawned);
    } else if (kind === 'announce') {
      slots.release((detail as EffectOf<'announce'>).run);
      waits.wake(); // BACKGROUND-2
    }
  }

  #addControl({ message, refused }: ControlTaken): void {
    if (refused !== undefined) return;
    if (message.kind === 'stop') this.stop(message.reason);
    else if (message.kind === 'cancel' && message.to !== undefined)
      this.#state.stops.cancel(message.to, message.reason);
  }
}

/** The hooks of a replay, where every answer is recorded: nothing waits, and only the record cancels a run. */
export const nothingWaits: LaunchHooks = {
  opened: (_run, op) => op.signal,
  async endBelow() {},
  fail() {},
  throwIfFailed() {},
};
