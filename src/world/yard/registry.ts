// The spawned runs of a run: who asked for them, where they stand, how they ended. In memory, and a fold of the
// recorded events: the same for a run at work, one taken up again, and one looked at from outside.

import type { ControlTaken, InstantOp, RunEvent } from '../../journal/event.ts';
import type { Effect, SessionRef } from '../../kernel/effect.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import { childPath, isWithin, type OpPath } from '../../kernel/path.ts';
import {
  type Begun,
  endState,
  type Spawned,
  spawnedSession,
  type SpawnId,
  type SpawnOrder,
  type SpawnReport,
  type SpawnState,
} from '../../kernel/spawned.ts';
import type { Fold } from '../state/projection.ts';

export type SpawnEffect = Extract<Effect, { kind: 'spawn' }>;
type Particulars = Omit<SpawnEffect, 'kind'>;

/** One spawned run. */
export interface Entry {
  readonly run: SpawnId;
  readonly order: SpawnOrder;
  /** The session that spawned it, and its own. */
  readonly parent: SessionRef;
  readonly session: SessionRef;
  readonly group: string;
  /** How many of its group, and of the whole run, may work at the same time with it. */
  readonly together: number;
  readonly maxConcurrent: number;
  readonly spawnedAt: number;
  beganAt?: number;
  endedAt?: number;
  outcome?: Outcome;
}

export interface Registry extends Fold {
  readonly entries: ReadonlyMap<SpawnId, Entry>;
  /** Runs that somebody cancelled, and why. */
  readonly cancelled: Map<SpawnId, string>;
  /** For one whose end the events cannot tell any more. */
  end(run: SpawnId, at: number, outcome: Outcome): void;
  stateOf(entry: Entry): SpawnState;
  report(entry: Entry, results?: boolean): SpawnReport;
  /** In the order in which they were spawned. */
  below(session: SessionRef): readonly Entry[];
}

export const openRegistry = (): Registry => new OpenRegistry();

class OpenRegistry implements Registry {
  readonly entries = new Map<SpawnId, Entry>();
  readonly cancelled = new Map<SpawnId, string>();
  /** Of runs whose agent has an outcome: they are over when that is announced. */
  readonly #outcomes = new Map<SpawnId, Outcome>();
  /** Runs at work, by the path of their op. */
  readonly #running = new Map<OpPath, SpawnId>();

  stateOf({ outcome, beganAt, order }: Entry): SpawnState {
    if (outcome !== undefined) return endState(outcome);
    if (beganAt !== undefined) return 'running';
    return order.after.every((run) => !this.#isUnfinished(run)) ? 'queued' : 'waiting';
  }

  report(entry: Entry, results = false): SpawnReport {
    const { run, order, parent, session, group, spawnedAt, beganAt, endedAt, outcome } = entry;
    return {
      run,
      label: order.label,
      agent: order.agent,
      state: this.stateOf(entry),
      parent,
      session,
      after: order.after,
      group,
      spawnedAt,
      ...(beganAt !== undefined && { beganAt }),
      ...(endedAt !== undefined && { endedAt }),
      ...(outcome !== undefined && isBroken(outcome) && { fault: outcome.fault }),
      ...(results && outcome !== undefined && { outcome }),
    };
  }

  below(session: SessionRef): readonly Entry[] {
    const above = [session];
    // In the order of spawning, a run comes after the one that spawned it.
    return [...this.entries.values()].filter((entry) => {
      const isBelow = above.some((one) => isWithin(entry.parent, one));
      if (isBelow) above.push(entry.session);
      return isBelow;
    });
  }

  end(run: SpawnId, at: number, outcome: Outcome): void {
    const entry = this.entries.get(run);
    if (entry === undefined) return;
    entry.endedAt = at;
    entry.outcome = outcome;
    this.#outcomes.delete(run);
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case 'op-start':
        if (event.op.kind === 'cancel-runs') {
          for (const run of event.op.runs) this.#cancel(run, event.op.reason);
        } else if (event.op.kind === 'run' && event.op.trigger.spawned !== undefined) {
          this.#running.set(event.path, event.op.trigger.spawned);
        }
        return;
      case 'op-end': {
        const run = event.kind === 'run' ? this.#running.get(event.path) : undefined;
        if (run !== undefined && event.result.ok) this.#outcomes.set(run, event.result.value as Outcome);
        return;
      }
      case 'op':
        return this.#addInstant(event);
      case 'control':
        return this.#addControl(event);
      default:
    }
  }

  #addInstant(event: InstantOp): void {
    if (event.kind === 'spawn') {
      this.#admit(event.path, event.detail as Particulars, event.value as Spawned, event.at);
    } else if (event.kind === 'begin') {
      const entry = this.entries.get((event.detail as { readonly run: SpawnId }).run);
      if (entry !== undefined && (event.value as Begun).began) entry.beganAt = event.at;
    } else if (event.kind === 'announce') {
      const { run, end } = event.detail as { readonly run: SpawnId; readonly end?: Outcome };
      const outcome = end ?? this.#outcomes.get(run);
      if (outcome !== undefined) this.end(run, event.at, outcome);
    }
  }

  #addControl({ message, refused }: ControlTaken): void {
    if (refused === undefined && message.kind === 'cancel' && message.to !== undefined)
      this.#cancel(message.to, message.reason);
  }

  /** The first reason counts. */
  #cancel(run: SpawnId, reason: string): void {
    if (this.#isUnfinished(run) && !this.cancelled.has(run)) this.cancelled.set(run, reason);
  }

  #isUnfinished(run: SpawnId): boolean {
    const entry = this.entries.get(run);
    return entry !== undefined && entry.outcome === undefined;
  }

  #admit(path: OpPath, asked: Particulars, spawned: Spawned, at: number): void {
    asked.orders.forEach((order, index) => {
      const receipt = spawned.receipts[index];
      if (receipt?.status !== 'accepted') return;
      const { run } = receipt;
      this.entries.set(run, {
        run,
        order,
        parent: asked.session,
        session: spawnedSession(childPath(path, index), order.after.length > 0),
        group: spawned.group,
        together: asked.together ?? Number.POSITIVE_INFINITY,
        maxConcurrent: spawned.maxConcurrent ?? asked.limits.maxConcurrent,
        spawnedAt: at,
      });
    });
  }
}
