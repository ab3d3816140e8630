// The children of one session that stay open for clarification, and those that answered and cannot be asked.
// Ids come from paths, and are listed in path order, so it makes no difference which child finished first.

import type { AgentName, SessionRef } from '../kernel/effect.ts';
import { isMadeByMap, type Outcome } from '../kernel/outcome.ts';
import { comparePaths } from '../kernel/path.ts';

export interface Child {
  readonly id: string;
  readonly agent: AgentName;
  readonly session: SessionRef;
  turnsLeft: number;
}

export interface Children {
  /** True if any of them may stay open. */
  readonly mayStayOpen: boolean;
  /** The names of the agents from the run's first to the one whose children these are. */
  callPath(): string;
  /** Notes a child that ended. Returns it if it stays open. */
  admit(agent: AgentName, outcome: Outcome, chat: boolean): Child | undefined;
  find(id: string): Child | undefined;
  ids(): readonly string[];
  remove(id: string): void;
  /** The reason why an agent that has answered here cannot be asked. It follows the agent's name. */
  closedAs(agent: string): string | undefined;
}

/** The children of a session that keeps none open. */
export const NO_CHILDREN: Children = {
  mayStayOpen: false,
  callPath: () => '',
  admit: () => undefined,
  find: () => undefined,
  ids: () => [],
  remove() {},
  closedAs: () => undefined,
};

export function openChildren(callPath: () => string): Children {
  const open = new Map<string, Child>();
  const closed = new Map<AgentName, string>();
  return {
    mayStayOpen: true,
    callPath,
    admit(agent, outcome, chat) {
      if (!chat) closed.set(agent, 'its file does not say `chat: true`');
      else if (isMadeByMap(outcome)) closed.set(agent, 'its answer is what a map made, and no agent wrote it');
      if (outcome.session === undefined) return undefined;
      const child: Child = {
        id: `${agent}@${outcome.session}`,
        agent,
        session: outcome.session,
        turnsLeft: outcome.turnsLeft ?? 0,
      };
      open.set(child.id, child);
      return child;
    },
    find: (id) => open.get(id),
    ids: () => [...open.values()].sort((left, right) => comparePaths(left.session, right.session)).map(({ id }) => id),
    remove: (id) => void open.delete(id),
    closedAs: (agent) => closed.get(agent),
  };
}
