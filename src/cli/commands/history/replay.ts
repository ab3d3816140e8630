// cadre replay: runs the kernel on the recorded answers and says whether everything is the same, or what is not.

import { replayRun } from '../../../engine/history/replay-run.ts';
import { startOf } from '../../../engine/pinned.ts';
import { EXIT } from '../../../kernel/fault.ts';
import { runHere } from '../../lookup/find-run.ts';
import type { StoreOptions } from '../../lookup/store-place.ts';
import { replayText } from '../../render/replay-result.ts';
import { notify, print } from '../../screen/output.ts';

export async function replayCommand(
  asked: string,
  options: StoreOptions & {
    /** Uses the texts that the run began with, whatever the files say today. */
    readonly pinned?: boolean;
  },
): Promise<number> {
  const { store, run } = await runHere(asked, options);
  const { result, events, changed, texts } = await replayRun(run, store, options);
  const start = startOf(events);
  if (texts === 'pinned' && options.pinned !== true)
    notify(`${start.folder} is gone: replayed with the texts that the run began with.`);
  print(replayText({ result, events, changed }));
  if (result.kind === 'different') return EXIT.failed;
  if (changed.length > 0) notify(`changed since, with no effect on this run: ${changed.join(', ')}`);
  return EXIT.answered;
}
