// cadre note: marks a run as good or bad, with a reason, or shows the marks on it.

import { markRun } from '../../../engine/history/mark-run.ts';
import type { RunNote } from '../../../journal/store.ts';
import { fail } from '../../../kernel/fault.ts';
import { runHere } from '../../lookup/find-run.ts';
import type { StoreOptions } from '../../lookup/store-place.ts';
import { noteText } from '../../render/note-text.ts';
import { notify, print, printJson } from '../../screen/output.ts';
import { personHere } from '../../screen/reader.ts';

export interface NoteOptions extends StoreOptions {
  readonly good?: string | true;
  readonly bad?: string | true;
  readonly none?: boolean;
  readonly json?: boolean;
}

export async function note(asked: string, options: NoteOptions): Promise<number> {
  const said = sayingOf(options);
  const { place, store, run } = await runHere(asked, options);
  // The page of a server on this machine is used by the same person, as `owner`.
  const by = place.dir === undefined ? (personHere() ?? 'owner') : 'owner';
  const notes = said === undefined ? await store.notes.list(run) : await markRun(run, { by, ...said }, store);
  if (options.json === true) printJson(JSON.stringify({ run, notes }, null, 2));
  else if (notes.length > 0) print(notes.map((one) => `${run}  ${noteText(one, Date.now())}`).join('\n'));
  else notify(`Run ${run} has no marks. To put one: cadre note ${run} --bad "why"`);
  return 0;
}

function sayingOf({
  good,
  bad,
  none,
}: NoteOptions): { readonly mark: RunNote['mark'] | 'none'; readonly text?: string } | undefined {
  const given = [good !== undefined && '--good', bad !== undefined && '--bad', none === true && '--none'].filter(
    Boolean,
  );
  if (given.length > 1) fail('usage', `${given.join(' and ')} are different marks. Give one of them.`);
  if (none === true) return { mark: 'none' };
  const why = good ?? bad;
  if (why === undefined) return undefined;
  return { mark: good === undefined ? 'bad' : 'good', ...(typeof why === 'string' && { text: why }) };
}
