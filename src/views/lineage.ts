// The run of an agent that an op belongs to. An op's path lies below the op that drives it: a run, or a further message
// to a session that was kept open; the steps between them (forks, branches) do not count as a place.

import type { RunEvent } from '../journal/event.ts';
import type { AgentName, SessionRef, TeamSeat, Trigger } from '../kernel/effect.ts';
import { type OpPath, parentPath, ROOT } from '../kernel/path.ts';

/** A run of an agent, or a further message to its session. */
export interface AgentRun {
  readonly kind: 'run' | 'say';
  readonly path: OpPath;
  readonly session: SessionRef;
  readonly agent: AgentName;
  readonly trigger: Trigger;
  /** Its place in a team. */
  readonly seat?: TeamSeat;
  readonly parent?: AgentRun;
}

export interface Lineage {
  add(event: RunEvent): void;
  at(path: OpPath): AgentRun | undefined;
  /** The nearest place above an op. */
  above(path: OpPath): AgentRun | undefined;
}

export function lineage(): Lineage {
  const places = new Map<OpPath, AgentRun>();

  const above = (path: OpPath): AgentRun | undefined => {
    for (let at = parentPath(path); at !== undefined; at = parentPath(at)) {
      const place = places.get(at);
      if (place !== undefined) return place;
    }
    return undefined;
  };

  return {
    at: (path) => places.get(path),
    above,
    add(event) {
      if (event.type === 'run-start') {
        const { agent } = event;
        places.set(ROOT, { kind: 'run', path: ROOT, session: ROOT, agent, trigger: { kind: 'start' } });
      }
      if (event.type !== 'op-start' || (event.op.kind !== 'run' && event.op.kind !== 'say')) return;
      const { op, path } = event;
      if (places.has(path)) return;
      const parent = above(path);
      const within = parent === undefined ? {} : { parent };
      if (op.kind === 'run') {
        const { agent, trigger } = op;
        const seated = op.seat === undefined ? {} : { seat: op.seat };
        places.set(path, { kind: 'run', path, session: path, agent, trigger, ...seated, ...within });
      } else {
        const { agent = '', trigger = { kind: 'call' as const } } = places.get(op.session) ?? {};
        places.set(path, { kind: 'say', path, session: op.session, agent, trigger, ...within });
      }
    },
  };
}
