// The sessions of a run that stay open after their answer. In memory only: driving the record again rebuilds them.
// O1. A session that is continued is the one that was begun: the same input, budget, deadline and background runs.

import type { AgentName, SessionRef } from '../../kernel/effect.ts';
import { isWithin, type OpPath } from '../../kernel/path.ts';
import type { SessionInput, SessionRoutine } from '../../kernel/session.ts';
import type { Background } from '../background.ts';
import type { Scope } from '../world.ts';

/** An agent made ready for one run of it. */
export interface Instance {
  /** The agent with all its patterns. */
  readonly start: SessionRoutine;
  /** Its bare session, for a further message to the same conversation. */
  readonly again: SessionRoutine;
}

export interface OpenSession {
  readonly agent: AgentName;
  readonly instance: Instance;
  /** What it was begun with. */
  readonly begun: SessionInput;
  /** What it draws on, and what holds it: budget, deadline, depth, shared context. */
  readonly scope: Scope;
  /** Where the runs that it spawned are driven. */
  readonly background: Background;
}

export interface OpenSessions {
  get(session: SessionRef): OpenSession | undefined;
  keep(session: SessionRef, open: OpenSession): void;
  /** Takes out every session at or below a path, but for those at or below `except`. */
  removeBelow(path: OpPath, except?: SessionRef): readonly (readonly [SessionRef, OpenSession])[];
}

const NONE: readonly never[] = [];

export function openSessions(): OpenSessions {
  const sessions = new Map<SessionRef, OpenSession>();
  return {
    get: (session) => sessions.get(session),
    keep: (session, open) => void sessions.set(session, open),
    removeBelow(path, except) {
      if (sessions.size === 0) return NONE;
      const removed = [...sessions].filter(
        ([session]) => isWithin(session, path) && (except === undefined || !isWithin(session, except)),
      );
      for (const [session] of removed) sessions.delete(session);
      return removed;
    },
  };
}
