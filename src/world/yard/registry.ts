// The spawned runs of a run: who asked for them, where they stand, how they ended. In memory, and a fold of the
// recorded events: the same for a run at work, one taken up again, and one looked at from outside.

import type { InstantOp, RunEvent } from '../../journal/event.ts';
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

export interface Registry {
  readonly entries: ReadonlyMap<SpawnId, Entry>;
  /** Runs that somebody cancelled, and why. */
  readonly cancelled: Map<SpawnId, string>;
  admit(path: OpPath, asked: Particulars, spawned: Spawned, at: number): void;
  begin(run: SpawnId, at: number): void;
  /** Its agent has an outcome; it is over when that is announced. */
  ran(run: SpawnId, outcome: Outcome): void;
  end(run: SpawnId, at: number, outcome: Outcome | undefined): void;
  stateOf(entry: Entry): SpawnState;
  report(entry: Entry, results?: boolean): SpawnReport;
  /** In the order in which they were spawned. */
  below(session: SessionRef): readonly Entry[];
  add(event: RunEvent): void;
}

export function openRegistry(): Registry {
  const entries = new Map<SpawnId, Entry>();
  const cancelled = new Map<SpawnId, string>();
  const outcomes = new Map<SpawnId, Outcome>();
  /** Runs at work, by the path of their op. */
  const running = new Map<OpPath, SpawnId>();

  const isEnded = (run: SpawnId): boolean => {
    const entry = entries.get(run);
    return entry === undefined || entry.outcome !== undefined;
  };
  const registry: Registry = {
    entries,
    cancelled,
    admit(path, asked, spawned, at) {
      asked.orders.forEach((order, index) => {
        const receipt = spawned.receipts[index];
        if (receipt?.status !== 'accepted') return;
        const { run } = receipt;
        entries.set(run, {
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
    },
    begin(run, at) {
      const entry = entries.get(run);
      if (entry !== undefined) entry.beganAt = at;
    },
    ran: (run, outcome) => void outcomes.set(run, outcome),
    end(run, at, outcome) {
      const entry = entries.get(run);
      const how = outcome ?? outcomes.get(run);
      if (entry === undefined || how === undefined) return;
      entry.endedAt = at;
      entry.outcome = how;
      outcomes.delete(run);
    },
    stateOf(entry) {
      if (entry.outcome !== undefined) return endState(entry.outcome);
      if (entry.beganAt !== undefined) return 'running';
      return entry.order.after.every(isEnded) ? 'queued' : 'waiting';
    },
    report(entry, results = false) {
      const { run, order, parent, session, group, spawnedAt, beganAt, endedAt, outcome } = entry;
      return {
        run,
        label: order.label,
        agent: order.agent,
        state: registry.stateOf(entry),
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
    },
    below(session) {
      const above = [session];
      // In the order of spawning, a run comes after the one that spawned it.
      return [...entries.values()].filter((entry) => {
        const isBelow = above.some((one) => isWithin(entry.parent, one));
        if (isBelow) above.push(entry.session);
        return isBelow;
      });
    },
    add(event) {
      switch (event.type) {
        case 'op-start':
          if (event.op.kind === 'cancel-runs') {
            for (const run of event.op.runs) if (!isEnded(run)) cancelled.set(run, event.op.reason);
          } else if (event.op.kind === 'run' && event.op.trigger.spawned !== undefined) {
            running.set(event.path, event.op.trigger.spawned);
          }
          return;
        case 'op-end': {
          const run = event.kind === 'run' ? running.get(event.path) : undefined;
          if (run !== undefined && event.result.ok) registry.ran(run, event.result.value as Outcome);
          return;
        }
        case 'op':
          return addInstant(registry, event);
        default:
      }
    },
  };
  return registry;
}

function addInstant(registry: Registry, event: InstantOp): void {
  if (event.kind === 'spawn') {
    registry.admit(event.path, event.detail as Particulars, event.value as Spawned, event.at);
  } else if (event.kind === 'begin') {
    const { run } = event.detail as { readonly run: SpawnId };
    if ((event.value as Begun).began) registry.begin(run, event.at);
  } else if (event.kind === 'announce') {
    const { run, end } = event.detail as { readonly run: SpawnId; readonly end?: Outcome };
    registry.end(run, event.at, end);
  }
}
