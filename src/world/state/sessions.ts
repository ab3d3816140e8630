// The sessions of a run that stay open after their answer. They are in memory only: a replay rebuilds them.
// OPEN-1. A session that is continued is the one that was begun: the same input, budget, deadline and background runs.

import type { AgentName, SessionRef } from '../../kernel/effect.ts';
import { isWithin, type OpPath } from '../../kernel/path.ts';
import type { SessionInput, SessionRoutine } from '../../kernel/session/session-spec.ts';
import type { Background } from '../background.ts';
import type { Scope } from '../world.ts';

/** An agent that is ready for one run. */
export interface Instance {
  /** The agent with all its patterns. */
  readonly start: SessionRoutine;
  /** Its bare session, for a further message to the same conversation. */
  readonly again: SessionRoutine;
}

interface OpenSession {
  readonly agent: AgentName;
  readonly instance: Instance;
  /** The input that it began with. */
  readonly begun: SessionInput;
  /** The scope that it works in: budget, deadline, depth, shared context. */
  readonly scope: Scope;
  /** The background in which the runs that it spawned are driven. */
  readonly background: Background;
}

export interface OpenSessions {
  get(session: SessionRef): OpenSession | undefined;
  keep(session: SessionRef, open: OpenSession): void;
  /** Removes and returns every session at or below a path, except those at or below `except`. */
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
