// The rows of cadre_spent. A run that has ended has one for each share of its summary, or one without an agent if it made no
// call. The first of them stands for the run where rows of several agents or models are summed up together.

import type { SpentRun, SpentShare } from '../../journal/store.ts';
import { asKey } from './as-key.ts';

type EndedRun = Pick<SpentRun, 'run' | 'startedAt' | 'spent'> & { readonly outcome?: string };

/** As JSON. Null where none has ended. */
export function spentRowsText(runs: readonly EndedRun[]): string | null {
  const ended = runs.filter(({ outcome }) => outcome !== undefined);
  return ended.length === 0 ? null : JSON.stringify(ended.flatMap(rowsOf));
}

const NO_CALL = { calls: 0, input: 0, output: 0, unpriced: 0 };

function rowsOf({ run, startedAt, outcome, spent }: EndedRun): readonly object[] {
  const of = { run, started_at: startedAt, outcome };
  if (spent.length === 0) return [{ ...of, place: 0, ...NO_CALL }];
  const isFirst = (key: 'agent' | 'model', share: SpentShare): boolean =>
    spent.find((one) => one[key] === share[key]) === share;
  return spent.map((share, place) => ({
    ...of,
    ...share,
    place,
    agent: asKey(share.agent),
    model: asKey(share.model),
    is_agents_first: isFirst('agent', share),
    is_models_first: isFirst('model', share),
  }));
}
