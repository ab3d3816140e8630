// The sessions of a run that stay open after their answer. In memory only: driving the record again rebuilds them.

import type { AgentName, SessionRef } from '../kernel/effect.ts';
import type { Conversation } from '../kernel/conversation.ts';
import { isWithin, type OpPath } from '../kernel/path.ts';
import type { SessionRoutine } from '../kernel/session.ts';
import type { SharedContext } from '../kernel/spawned.ts';

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
  readonly conversation: Conversation;
  readonly shared?: SharedContext | undefined;
  readonly family?: SharedContext | undefined;
}

export interface OpenSessions {
  get(session: SessionRef): OpenSession | undefined;
  keep(session: SessionRef, open: OpenSession): void;
  /** Ends every session at or below a path, but for those at or below `except`. */
  closeBelow(path: OpPath, except?: SessionRef): void;
}

export function openSessions(): OpenSessions {
  const sessions = new Map<SessionRef, OpenSession>();
  return {
    get: (session) => sessions.get(session),
    keep: (session, open) => void sessions.set(session, open),
    closeBelow(path, except) {
      if (sessions.size === 0) return;
      for (const session of sessions.keys()) {
        if (isWithin(session, path) && (except === undefined || !isWithin(session, except))) sessions.delete(session);
      }
    },
  };
}
