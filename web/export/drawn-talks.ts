// The conversations of a run as far as they are drawn, and the places in the file that its ops have.

import type { Conversation } from '../../src/views/talk/transcript.ts';
import type { OpNode } from '../../src/views/tree/op-tree.ts';
import { nestedSessions, type SessionRow, type Shown, shownEntries } from '../src/screens/conversation/talk.ts';

export interface DrawnTalk {
  readonly row: SessionRow;
  readonly shown: readonly Shown[];
  /** The number of its entries that are drawn. */
  readonly count: number;
}

/** Every session as it nests. At most so many entries are drawn in all. */
export function drawnTalks(tree: OpNode, talks: readonly Conversation[], most: number): readonly DrawnTalk[] {
  let left = most;
  return nestedSessions(tree, talks).map((row) => {
    const shown = row.talk === undefined ? [] : shownEntries(row.talk);
    const count = Math.min(left, shown.length);
    left -= count;
    return { row, shown, count };
  });
}

/** The op of the place at which each op is read: a session, or an entry. A call of a tool is read in the reply that made it. */
export function placesIn(talks: readonly DrawnTalk[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const { row, shown, count } of talks) {
    places.set(row.session, row.session);
    for (const one of shown.slice(0, count)) {
      const { op } = one.entry;
      if (!places.has(op)) places.set(op, op);
      for (const call of one.kind === 'reply' ? one.calls : [])
        if (call.op !== undefined && !places.has(call.op)) places.set(call.op, op);
    }
  }
  return places;
}
