// cadre diff: where two runs part, and what came of each. Exit code 0 where they are the same, 1 where they are not.

import { readAll } from '../../../engine/pinned.ts';
import { EXIT } from '../../../kernel/fault.ts';
import { diffRuns } from '../../../views/report/diff.ts';
import { findWholeRun } from '../../lookup/find-run.ts';
import { type StoreOptions, storeHere } from '../../lookup/store-place.ts';
import { diffText } from '../../render/diff-text.ts';
import { print, printJson } from '../../screen/output.ts';
import { columnsOf, paintFor } from '../../screen/terminal.ts';

export async function diff(
  left: string,
  right: string,
  options: StoreOptions & { readonly json?: boolean },
): Promise<number> {
  const { store } = await storeHere(options);
  const [one, other] = [
    await readAll(await findWholeRun(left, store), store),
    await readAll(await findWholeRun(right, store), store),
  ];
  const found = diffRuns(one, other);
  const columns = columnsOf(process.stdout);
  if (options.json === true) printJson(JSON.stringify(found, null, 2));
  else
    print(diffText(found, { paint: paintFor(process.stdout), ...(columns !== undefined && { columns }) }).join('\n'));
  return found.parting === undefined ? EXIT.answered : EXIT.failed;
}
