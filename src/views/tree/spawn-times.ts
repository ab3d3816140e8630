// The times of each spawned run: of its spawn, of its wait for others and for its turn; and the runs after which it came.

import type { InstantOp, RunEvent } from '../../journal/event.ts';
import { childPath, type OpPath, parentPath } from '../../kernel/path.ts';
import { type SpawnBegin, type SpawnId, spawnedSession } from '../../kernel/spawned.ts';
import { acceptedSpawns } from './spawn-names.ts';

interface SpawnTimes {
  readonly spawnedAt: number;
  /** The runs that it waited for, by the paths of their ops. */
  readonly after: readonly OpPath[];
  /** The time at which the last of them was over. */
  readonly waitedUntil?: number;
  /** The time at which it got its turn. */
  readonly beganAt?: number;
}

export function spawnTimes() {
  const times = new Map<OpPath, SpawnTimes>();
  const sessions = new Map<SpawnId, OpPath>();
  /** The session of each task, by the task's path. */
  const tasks = new Map<OpPath, OpPath>();

  const change = (session: OpPath | undefined, what: Partial<SpawnTimes>): void => {
    const known = session === undefined ? undefined : times.get(session);
    if (session !== undefined && known !== undefined) times.set(session, { ...known, ...what });
  };
  const spawned = ({ path, at, detail, value }: InstantOp): void => {
    const accepted = acceptedSpawns(detail, value).map(({ run, order, index }) => {
      const task = childPath(path, index);
      return { run, order, task, session: spawnedSession(task, order.after.length > 0) };
    });
    for (const { run, task, session } of accepted) {
      sessions.set(run, session);
      tasks.set(task, session);
    }
    for (const { session, order } of accepted)
      times.set(session, { spawnedAt: at, after: order.after.flatMap((id) => sessions.get(id) ?? []) });
  };
  return {
    /** The times of the run at this path. Undefined if it was not spawned. */
    at: (path: OpPath): SpawnTimes | undefined => times.get(path),
    add(event: RunEvent): void {
      if (event.type === 'op' && event.kind === 'spawn') spawned(event);
      else if (event.type === 'op' && event.kind === 'begin' && (event.value as SpawnBegin).began)
        change(tasks.get(parentPath(event.path) ?? ''), { beganAt: event.at });
      else if (event.type === 'op-end' && event.kind === 'await-runs')
        change(tasks.get(parentPath(event.path) ?? ''), { waitedUntil: event.at });
    },
  };
}
