// cadre test --results: the results that are kept, or one of them as it was printed.

import { findTestRecord, testHeads } from '../../../agent-tests/test-records.ts';
import { EXIT } from '../../../kernel/fault.ts';
import { ofTeams } from '../../../views/tests/compared.ts';
import { type StoreOptions, storeHere } from '../../lookup/store-place.ts';
import { candidatesText } from '../../render/candidates-text.ts';
import { caseLine, failedCaseText, modelsText, resultsText, summaryText } from '../../render/test-text.ts';
import { notify, print, printJson } from '../../screen/output.ts';
import { columnsOf, paintFor } from '../../screen/terminal.ts';

export async function testResults(
  options: StoreOptions & {
    /** The result that is meant; true: all. */
    readonly results?: string | true;
    readonly json?: boolean;
  },
): Promise<number> {
  const { place, store } = await storeHere(options);
  const now = store.now?.() ?? Date.now();
  try {
    if (typeof options.results !== 'string') {
      const listed = await testHeads(store, now);
      if (options.json === true) printJson(JSON.stringify(listed, null, 2));
      else if (listed.length === 0) notify(`No results of tests are kept in ${place.shown} yet.`);
      else print(resultsText(listed, now, columnsOf(process.stdout)));
      return EXIT.answered;
    }
    const { head, cases, state } = await findTestRecord(options.results, store, now);
    if (options.json === true) {
      printJson(JSON.stringify({ ...head, state, cases }, null, 2));
      return EXIT.answered;
    }
    const paint = paintFor(process.stdout);
    for (const one of cases) print(caseLine(one, paint));
    for (const one of cases) if (one.state === 'failed') print(`\n${failedCaseText(one, place.flag, paint)}`);
    const { candidates = [], times = 1 } = head;
    const alone = candidates.some(({ kind }) => kind === 'alone');
    if (alone || times > 1) print(`\n${candidatesText({ cases, candidates }, { alone }, columnsOf(process.stdout))}`);
    else if (head.models.length > 1) print(`\n${modelsText(cases, head.models, columnsOf(process.stdout))}`);
    print(`\n${summaryText(ofTeams(cases), (head.endedAt ?? now) - head.startedAt, paint)}`);
    if (state !== 'ended') notify(`${head.id} is ${state}: ${ofTeams(cases).length} of ${head.planned} have a result.`);
    return EXIT.answered;
  } finally {
    await store.close?.();
  }
}
