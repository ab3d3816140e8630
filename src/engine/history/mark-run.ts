// A person's mark on a run, one way for every surface: an answer must stand before somebody judges it.

import type { RunId } from '../../journal/event.ts';
import type { Mark, RunNote, RunStore } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';

/** `none` takes the mark of this person back. Throws `run/unknown`, `run/locked` for a run at work, and `usage`. */
export async function markRun(
  run: RunId,
  { by, mark, text }: { readonly by: string; readonly mark: Mark | 'none'; readonly text?: string | undefined },
  store: RunStore,
): Promise<readonly RunNote[]> {
  if (mark === 'none') await store.notes.remove(run, by);
  else {
    const { state } = await store.summary(run);
    if (state === 'running') fail('run/locked', `Run ${run} is still at work. Mark it when it has ended.`);
    await store.notes.put(run, { by, mark, ...(text !== undefined && { text }) });
  }
  return store.notes.list(run);
}
