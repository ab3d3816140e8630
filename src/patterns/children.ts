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

export class Children {
  /** The names of the agents from the run's first to the one whose children these are. */
  readonly callPath: () => string;
  /** True if any of them may stay open. */
  readonly mayStayOpen: boolean;
  readonly #open = new Map<string, Child>();
  readonly #closed = new Map<AgentName, string>();

  constructor(callPath: () => string, mayStayOpen = true) {
    this.callPath = callPath;
    this.mayStayOpen = mayStayOpen;
  }

  /** Notes a child that ended. Returns it if it stays open. */
  admit(agent: AgentName, outcome: Outcome, chat: boolean): Child | undefined {
    if (!this.mayStayOpen) return undefined;
    if (!chat) this.#closed.set(agent, 'its file does not say `chat: true`');
    else if (isMadeByMap(outcome)) this.#closed.set(agent, 'its answer is what a map made, and no agent wrote it');
    const { session, turnsLeft = 0 } = outcome;
    if (session === undefined) return undefined;
    const child: Child = { id: `${agent}@${session}`, agent, session, turnsLeft };
    this.#open.set(child.id, child);
    return child;
  }

  find(id: string): Child | undefined {
    return this.#open.get(id);
  }

  ids(): readonly string[] {
    const open = [...this.#open.values()];
    return open.sort((left, right) => comparePaths(left.session, right.session)).map(({ id }) => id);
  }

  remove(id: string): void {
    this.#open.delete(id);
  }

  /** The reason why an agent that has answered here cannot be asked. It follows the agent's name. */
  closedAs(agent: string): string | undefined {
    return this.#closed.get(agent);
  }
}

/** The children of a session that keeps none open. */
export const NO_CHILDREN = new Children(() => '', false);
