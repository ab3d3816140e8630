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

export class Lineage {
  readonly #places = new Map<OpPath, AgentRun>();

  at(path: OpPath): AgentRun | undefined {
    return this.#places.get(path);
  }

  /** The nearest place above an op. */
  above(path: OpPath): AgentRun | undefined {
    for (let at = parentPath(path); at !== undefined; at = parentPath(at)) {
      const place = this.#places.get(at);
      if (place !== undefined) return place;
    }
    return undefined;
  }

  add(event: RunEvent): void {
    if (event.type === 'run-start') {
      const { agent } = event;
      this.#places.set(ROOT, { kind: 'run', path: ROOT, session: ROOT, agent, trigger: { kind: 'start' } });
    }
    if (event.type !== 'op-start' || (event.op.kind !== 'run' && event.op.kind !== 'say')) return;
    const { op, path } = event;
    if (this.#places.has(path)) return;
    const parent = this.above(path);
    const within = parent === undefined ? {} : { parent };
    if (op.kind === 'run') {
      const { agent, trigger } = op;
      const seated = op.seat === undefined ? {} : { seat: op.seat };
      this.#places.set(path, { kind: 'run', path, session: path, agent, trigger, ...seated, ...within });
    } else {
      const { agent = '', trigger = { kind: 'call' as const } } = this.at(op.session) ?? {};
      this.#places.set(path, { kind: 'say', path, session: op.session, agent, trigger, ...within });
    }
  }
}
