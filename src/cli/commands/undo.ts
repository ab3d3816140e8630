// cadre undo: takes the changes of a run back, where nothing else has changed the files since.

import { dirname } from 'node:path';
import { type Undone, type UndoneFile, undoRun } from '../../engine/history/undo.ts';
import { counted } from '../../text/words.ts';
import { namedRun } from '../named/named-run.ts';
import { openStore, type StoreOptions, storeFromHere, workspaceFromHere } from '../named/store-place.ts';
import { askedWorkspace, type WorkspaceOptions } from '../named/workspace.ts';
import { print, printJson, tell } from '../screen/out.ts';
import { type Paint, paintFor } from '../screen/terminal.ts';

export interface UndoCommandOptions extends StoreOptions, WorkspaceOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export async function undo(asked: string, op: string | undefined, options: UndoCommandOptions): Promise<number> {
  const place = await storeFromHere(options);
  const store = await openStore(place, tell);
  const run = await namedRun(asked, store);
  const given = askedWorkspace(options);
  const found = given ?? (await workspaceFromHere());
  const here = [process.cwd(), ...(place.dir === undefined ? [] : [dirname(place.dir)])];
  const within = [...(found === undefined ? [] : [found]), ...(given === undefined ? here : [])];
  const { dryRun = false } = options;
  const undone = await undoRun(run, { op, dryRun }, { store, storeDir: place.dir, within, now: Date.now });
  if (options.json === true) printJson(JSON.stringify(undone, null, 2));
  else print(undoneText(undone, paintFor(process.stdout)).join('\n'));
  return 0;
}

const DONE: Readonly<Record<UndoneFile['done'], string>> = {
  restored: 'restored',
  'brought-back': 'brought back',
  removed: 'removed',
  'moved-back': 'moved back',
};

export function undoneText({ run, state, files }: Undone, paint: Paint): readonly string[] {
  const lines = files.map(({ path, done, from }) => {
    const whence = from === undefined ? '' : paint('faint', ` from ${from}`);
    return `  ${paint('faint', DONE[done].padEnd(12))}  ${path}${whence}`;
  });
  switch (state) {
    case 'nothing':
      return [`Run ${run} changed no files.`];
    case 'already-undone':
      return [`Run ${run} was undone already. Nothing was changed.`];
    case 'would-undo':
      return [`Would undo ${counted(files.length, 'file')} of run ${run}:`, ...lines];
    case 'undone':
      return [`${paint('good', 'Undid')} ${counted(files.length, 'file')} of run ${run}:`, ...lines];
  }
}
