// The spawned runs of a run: which session spawned them, their state, how they ended. It is in memory, and a fold of
// the recorded events: the same for a run at work, a resumed one, and one that is viewed from outside.

import type { ControlTaken, InstantOp, RunEvent } from '../../../journal/event.ts';
import type { EffectOf, SessionRef } from '../../../kernel/effect.ts';
import { isBroken, type Outcome } from '../../../kernel/outcome.ts';
import { childPath, isWithin, type OpPath } from '../../../kernel/path.ts';
import {
  endState,
  type SpawnAnswer,
  type SpawnBegin,
  type SpawnId,
  type SpawnOrder,
  type SpawnReport,
  type SpawnState,
  spawnedSession,
} from '../../../kernel/spawned.ts';
import type { Fold } from '../projection.ts';

type SpawnDetail = Omit<EffectOf<'spawn'>, 'kind'>;

export interface SpawnedRun {
  readonly run: SpawnId;
  readonly order: SpawnOrder;
  /** The session that spawned it, and its own. */
  readonly parent: SessionRef;
  readonly session: SessionRef;
  readonly group: string;
  /** The number of runs of its group, and of the whole run, that may work at the same time with it. */
  readonly together: number;
  readonly maxConcurrent: number;
  readonly spawnedAt: number;
  beganAt?: number;
  endedAt?: number;
  outcome?: Outcome;
}

export const openSpawnRegistry = (): SpawnRegistry => new SpawnRegistry();

export class SpawnRegistry implements Fold {
  readonly runs = new Map<SpawnId, SpawnedRun>();
  /** Runs that were cancelled, and why. */
  readonly cancelled = new Map<SpawnId, string>();
  /** Outcomes of runs that are not announced yet. A run is over once its outcome is announced. */
  readonly #outcomes = new Map<SpawnId, Outcome>();
  /** Runs at work, by the path of their op. */
  readonly #running = new Map<OpPath, SpawnId>();

  stateOf({ outcome, beganAt, order }: SpawnedRun): SpawnState {
    if (outcome !== undefined) return endState(outcome);
    if (beganAt !== undefined) return 'running';
    return order.after.every((run) => !this.#isUnfinished(run)) ? 'queued' : 'waiting';
  }

  report(spawned: SpawnedRun, withResults = false): SpawnReport {
    const { run, order, parent, session, group, spawnedAt, beganAt, endedAt, outcome } = spawned;
    const state = this.stateOf(spawned);
    return {
      run,
      label: order.label,
      agent: order.agent,
      state,
      parent,
      session,
      after: order.after,
      ...(state === 'waiting' && { waitingFor: order.after.filter((one) => this.#isUnfinished(one)) }),
      group,
      spawnedAt,
      ...(beganAt !== undefined && { beganAt }),
      ...(endedAt !== undefined && { endedAt }),
      ...(outcome !== undefined && isBroken(outcome) && { fault: outcome.fault }),
      ...(withResults && outcome !== undefined && { outcome }),
    };
  }

  /** The runs below a session, in the order in which they were spawned. */
  below(session: SessionRef): readonly SpawnedRun[] {
    const above = [session];
    // In the order of spawning, a run comes after the one that spawned it.
    return [...this.runs.values()].filter((spawned) => {
      const isBelow = above.some((one) => isWithin(spawned.parent, one));
      if (isBelow) above.push(spawned.session);
      return isBelow;
    });
  }

  /** Marks a run as ended if no event will record its end any more. */
  end(run: SpawnId, at: number, outcome: Outcome): void {
    const spawned = this.runs.get(run);
    if (spawned === undefined) return;
    spawned.endedAt = at;
    spawned.outcome = outcome;
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
      this.#admit(event.path, event.detail as SpawnDetail, event.value as SpawnAnswer, event.at);
    } else if (event.kind === 'begin') {
      const spawned = this.runs.get((event.detail as { readonly run: SpawnId }).run);
      if (spawned !== undefined && (event.value as SpawnBegin).began) spawned.beganAt = event.at;
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
    const spawned = this.runs.get(run);
    return spawned !== undefined && spawned.outcome === undefined;
  }

  #admit(path: OpPath, asked: SpawnDetail, answer: SpawnAnswer, at: number): void {
    asked.orders.forEach((order, index) => {
      const receipt = answer.receipts[index];
      if (receipt?.status !== 'accepted') return;
      const { run } = receipt;
      this.runs.set(run, {
        run,
        order,
        parent: asked.session,
        session: spawnedSession(childPath(path, index), order.after.length > 0),
        group: answer.group,
        together: asked.together ?? Number.POSITIVE_INFINITY,
        maxConcurrent: answer.maxConcurrent ?? asked.limits.maxConcurrent,
        spawnedAt: at,
      });
    });
  }
}
