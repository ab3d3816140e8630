// Marks on runs: good or bad, with a reason. A note lies beside the journal, which does not change after its end, as a cell
// named by the run and by the SHA-256 of the person's name, so a person has one mark on a run.

import { createHash } from 'node:crypto';
import { fail } from '../kernel/fault.ts';
import { type Cells, firstOfKey, type Space, textValue } from './cells.ts';
import type { RunId } from './event.ts';
import { checkRunId } from './run-names.ts';
import { MOST_NOTE_TEXT, type Notes, type RunNote } from './store.ts';

const NOTES: Space = { name: 'notes', holds: 'lines' };

/** The notes of a store. `forget` is for a run that is removed. */
export function notesIn(
  cells: Cells,
  { known, now }: { readonly known: (run: RunId) => Promise<void>; readonly now: () => number },
): Notes & { forget(run: RunId): Promise<void> } {
  const keys = (prefix: string) => cells.list(NOTES, prefix, { with: 'keys' });
  return {
    async list(run) {
      const found = await cells.list(NOTES, run === undefined ? '' : `${checkRunId(run)}/`);
      return newestFirst(found.map(({ head }) => head));
    },
    async of(runs) {
      const wanted = new Set(runs);
      const found = (await keys('')).filter(({ key }) => wanted.has(firstOfKey(key)));
      const heads = await Promise.all(found.map(async ({ key }) => (await cells.get(NOTES, key))?.head ?? ''));
      return notesByRun(newestFirst(heads));
    },
    async put(run, { by, mark, text }) {
      await known(checkRunId(run));
      if (text !== undefined && text.length > MOST_NOTE_TEXT)
        fail('usage', `A note has at most ${MOST_NOTE_TEXT} characters, and this one has ${text.length}.`);
      const note: RunNote = { run, by, at: now(), mark, ...(text !== undefined && text !== '' && { text }) };
      await cells.putIf(NOTES, keyOf(run, by), textValue(JSON.stringify(note)), 'any');
      return note;
    },
    remove: (run, by) => cells.delete(NOTES, keyOf(checkRunId(run), by)),
    async forget(run) {
      for (const { key } of await keys(`${run}/`)) await cells.delete(NOTES, key);
    },
  };
}

const keyOf = (run: RunId, by: string): string => `${run}/${createHash('sha256').update(by).digest('hex')}`;

/** In the order in which they come. */
export function notesByRun(notes: readonly RunNote[]): ReadonlyMap<RunId, readonly RunNote[]> {
  const byRun = new Map<RunId, RunNote[]>();
  for (const note of notes) byRun.set(note.run, [...(byRun.get(note.run) ?? []), note]);
  return byRun;
}

const newestFirst = (heads: readonly string[]): readonly RunNote[] =>
  heads.flatMap((head) => noteIn(head) ?? []).sort((one, other) => other.at - one.at);

/** Undefined for a text that no release of Cadre wrote: it must not break the list of the others. */
function noteIn(head: string): RunNote | undefined {
  try {
    const note = JSON.parse(head) as RunNote;
    return note.mark === 'good' || note.mark === 'bad' ? note : undefined;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}
