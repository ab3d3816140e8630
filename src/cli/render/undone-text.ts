// The effect of an undo, done or planned, one line for each file.

import { countedNoun } from '../../base/text/words.ts';
import type { UndoneFile, UndoReport } from '../../engine/history/undo.ts';
import type { Paint } from '../screen/terminal.ts';

const DONE: Readonly<Record<UndoneFile['done'], string>> = {
  restored: 'restored',
  'brought-back': 'brought back',
  removed: 'removed',
  'moved-back': 'moved back',
};

export function undoneText({ run, state, files }: UndoReport, paint: Paint): readonly string[] {
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
      return [`Would undo ${countedNoun(files.length, 'file')} of run ${run}:`, ...lines];
    case 'undone':
      return [`${paint('good', 'Undid')} ${countedNoun(files.length, 'file')} of run ${run}:`, ...lines];
  }
}
