// References that would lead a run in a circle. Other tools let two agents pass a conversation back and forth; here no agent is
// its own ancestor, so the reference that closes a circle is taken back, and that is said.

import type { AgentDraft } from './draft.ts';

/** `drafts` are the agents that are written, by their names here. */
export function cutCircles(drafts: ReadonlyMap<string, AgentDraft>): void {
  const done = new Set<string>();
  for (const start of drafts.keys()) {
    const path: { readonly name: string; next: number }[] = [{ name: start, next: 0 }];
    const open = new Set([start]);
    while (path.length > 0) {
      const here = path.at(-1)!;
      const draft = drafts.get(here.name)!;
      const edge = done.has(here.name) ? undefined : draft.edges[here.next];
      if (edge === undefined) {
        done.add(here.name);
        open.delete(here.name);
        path.pop();
      } else if (open.has(edge.to)) draft.cut(edge);
      else {
        here.next += 1;
        if (drafts.has(edge.to)) {
          path.push({ name: edge.to, next: 0 });
          open.add(edge.to);
        }
      }
    }
  }
}
