// Runs that other processes work on, or none: they are followed in the store and reached through it.

import { runEndOf } from '../../journal/ending.ts';
import type { RunEvent, RunId, RunStart } from '../../journal/event.ts';
import type { Fleet } from '../../journal/store.ts';
import type { ControlMessage } from '../../kernel/control.ts';
import { fail } from '../../kernel/fault.ts';
import { type RunOutcome, runOutcome } from '../../kernel/outcome.ts';
import type { Watcher } from '../../run/bus.ts';
import type { RunEnvironment } from '../../run/environment.ts';
import type { LoadedCadre } from '../../run/loaded-cadre.ts';
import type { LiveEvent } from '../../world/world.ts';
import type { MessageReceipt, RunReach } from '../contract.ts';
import { needsOf } from '../fleet/needs.ts';
import { readAll, startOfRun } from '../pinned.ts';
import { sendControl } from './control-sender.ts';
import { liveElsewhere, watchLive } from './live-events.ts';

export class RemoteRuns implements RunReach {
  readonly #environment: RunEnvironment;

  constructor(environment: RunEnvironment) {
    this.#environment = environment;
  }

  async *events(run: RunId, from = 0, signal?: AbortSignal): AsyncGenerator<RunEvent> {
    const leave = new AbortController();
    const until = signal === undefined ? leave.signal : AbortSignal.any([leave.signal, signal]);
    try {
      yield* this.#environment.store.follow(run, from, until);
    } finally {
      leave.abort();
    }
  }

  live(run: RunId): AsyncIterable<LiveEvent> {
    return liveElsewhere(run, this.#environment.store);
  }

  watch(run: RunId, watcher: Watcher): () => void {
    const { store, warn } = this.#environment;
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

  control(run: RunId, message: ControlMessage): Promise<MessageReceipt> {
    return sendControl(run, message, this.#environment.store);
  }

  async outcome(run: RunId): Promise<RunOutcome> {
    const { store } = this.#environment;
    if (store.end !== undefined) {
      const end = await store.end(run, new AbortController().signal);
      if (end !== undefined) return runOutcome(end.outcome);
    }
    for await (const event of this.events(run)) if (event.type === 'run-end') return runOutcome(event.outcome);
    return fail('run/unknown', `Run ${run} is gone.`);
  }

  /** Stores a run without working on it. */
  async store(start: RunStart): Promise<void> {
    const lease = await this.#environment.store.claim(start.run, 0);
    try {
      await lease.append([start]);
    } finally {
      await lease.release();
    }
  }

  /** Stores a run and leaves it to the workers. Throws `usage` where the store has none. */
  async submit(start: RunStart, { definition }: LoadedCadre): Promise<void> {
    const fleet = this.#fleet();
    const needs = needsOf(start, definition);
    if (fleet.submit !== undefined) return fleet.submit(start, needs);
    await this.store(start);
    await fleet.offer(start.run, needs);
  }

  /** Leaves a run that was broken off to the workers. */
  async offer(run: RunId): Promise<void> {
    const { store, pinned } = this.#environment;
    const { state } = await store.summary(run);
    if (state === 'ended') fail('run/finished', `Run ${run} has ended. See it with: cadre show ${run}`);
    if (state === 'running') fail('run/locked', `A process works on run ${run} already.`);
    const start = await startOfRun(run, store);
    await this.#fleet().offer(run, needsOf(start, await pinned(start)));
  }

  /** A run that has ended has no holder to fence out, and is refused as every ended run is. */
  async takeOver(run: RunId): Promise<void> {
    const { store } = this.#environment;
    if (runEndOf(await readAll(run, store)) === undefined) await store.takeOver(run);
  }

  #fleet(): Fleet {
    const { fleet } = this.#environment.store;
    return fleet ?? fail('usage', 'Only a store that machines share has workers: --store postgres://… or restate://…');
  }
}
