// cadre undo: takes the changes of a run back, where nothing else has changed the files since.

import { dirname } from 'node:path';
import { undoRun } from '../../../engine/history/undo.ts';
import { runHere } from '../../lookup/find-run.ts';
import { type StoreOptions, workspaceFromHere } from '../../lookup/store-place.ts';
import { type WorkspaceOptions, workspaceFrom } from '../../lookup/workspace.ts';
import { undoneText } from '../../render/undone-text.ts';
import { print, printJson } from '../../screen/output.ts';
import { paintFor } from '../../screen/terminal.ts';

export async function undo(
  asked: string,
  op: string | undefined,
  options: StoreOptions &
    WorkspaceOptions & {
      readonly dryRun?: boolean;
      readonly json?: boolean;
    },
): Promise<number> {
  const { place, store, run } = await runHere(asked, options);
  const given = workspaceFrom(options);
  const found = given ?? workspaceFromHere();
  const here = [process.cwd(), ...(place.dir === undefined ? [] : [dirname(place.dir)])];
  const within = [...(found === undefined ? [] : [found]), ...(given === undefined ? here : [])];
  const { dryRun = false } = options;
  const undone = await undoRun(run, { op, dryRun }, { store, storeDir: place.dir, within, now: Date.now });
  if (options.json === true) printJson(JSON.stringify(undone, null, 2));
  else print(undoneText(undone, paintFor(process.stdout)).join('\n'));
  return 0;
}
