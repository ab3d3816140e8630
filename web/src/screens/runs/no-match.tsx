// No run fits what was chosen. Says of how many, and the way back.

import { useEffect, useState } from 'preact/hooks';
import type { RunList } from '../../../../src/server/protocol.ts';
import { countText, dayAndTime } from '../../../../src/views/amounts.ts';
import { setQuery } from '../../app/router.ts';
import { getJson } from '../../data/api.ts';
import { serverNow } from '../../data/clock.ts';
import { Button } from '../../parts/controls.tsx';
import { Empty } from '../../parts/panel.tsx';
import { chosenDays, daysInWords, withDays, withoutDays } from './days.ts';
import type { RunChoice } from './run-rows.ts';

export const NoMatch = ({ q, choice }: { readonly q: string; readonly choice: RunChoice }) => {
  const [total, setTotal] = useState<number | undefined>(undefined);
  useEffect(() => {
    getJson<RunList>('/api/runs?limit=1').then(
      (list) => setTotal(list.total),
      () => undefined, // the connection says that it is lost
    );
  }, []);
  const days = chosenDays(q);
  const hasWords = withoutDays(q) !== '' || choice !== 'all';
  const today = dayAndTime(serverNow()).slice(0, 10);
  if (days !== undefined && !hasWords)
    return (
      <Empty
        part
        title={`No runs ${daysInWords(days, today)}`}
        actions={<Button onPress={() => setQuery({ q: withDays(q, undefined) || undefined })}>Show all</Button>}
      />
    );
  return (
    <Empty
      part
      title={`No match among ${total === undefined ? '–' : countText(total)} runs`}
      actions={<Button onPress={() => setQuery({ q: undefined, state: undefined })}>Show all</Button>}
    >
      <p>Remove a word, or show all.</p>
    </Empty>
  );
};
