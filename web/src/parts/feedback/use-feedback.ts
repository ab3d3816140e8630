// The marks that stand on a run, and the way to change yours.

import { useEffect, useState } from 'preact/hooks';
import type { Outcome } from '../../../../src/server/protocol.ts';
import { postJson, problemOf } from '../../data/api.ts';
import type { Notes } from '../../data/run-notes.ts';
import { yourMarkName } from '../../data/you.ts';

export interface MarkedRun {
  readonly run: string;
  readonly agent: string;
  readonly outcome: Outcome;
}

type Mark = 'good' | 'bad';

export function useFeedback(run: string, given: Notes | undefined) {
  const [sent, setSent] = useState<Notes | undefined>(undefined);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const [isKept, setKept] = useState(false);
  useEffect(() => setSent(undefined), [run, given]);
  const notes = sent ?? given ?? [];
  const yours = notes.find(({ by }) => by === yourMarkName());
  const put = (mark: Mark | 'none', text?: string): void => {
    setKept(false);
    postJson<{ readonly items: Notes }>(`/api/runs/${encodeURIComponent(run)}/notes`, {
      mark,
      ...(text !== undefined && text !== '' && { text }),
    }).then(
      ({ items }) => {
        setSent(items);
        setWhy(undefined);
        setKept(text !== undefined);
      },
      (thrown: unknown) => setWhy(problemOf(thrown).message),
    );
  };
  return { run, yours, others: notes.filter((note) => note !== yours), why, isKept, put };
}

export type FeedbackState = ReturnType<typeof useFeedback>;
