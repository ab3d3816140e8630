// The messages of conversations that are open in the list of runs, newest first, as far as they fit the filter.

import { useEffect, useState } from 'preact/hooks';
import type { RunList, RunRow } from '../../../src/server/protocol.ts';
import { getJson } from './api.ts';
import type { ListFilter } from './listed-runs.ts';
import { rereading } from './reread.ts';
import { listen } from './server-stream.ts';

const MOST = 500;

export function useThreadRuns(
  threads: readonly string[],
  { q, zone }: Pick<ListFilter, 'q' | 'zone'>,
): ReadonlyMap<string, readonly RunRow[]> {
  const [runs, setRuns] = useState<ReadonlyMap<string, readonly RunRow[]>>(new Map());
  const key = threads.join(',');
  useEffect(() => {
    setRuns((known) => new Map([...known].filter(([thread]) => threads.includes(thread))));
    const stops = threads.map((thread) => {
      const fields = new URLSearchParams({
        thread,
        limit: String(MOST),
        totals: 'false',
        zone,
        ...(q !== '' && { q }),
      });
      const again = rereading(async () => {
        try {
          const { items } = await getJson<RunList>(`/api/runs?${fields.toString()}`);
          setRuns((known) => new Map(known).set(thread, items));
        } catch {
          // The connection says that it is lost: what is known stays.
        }
      });
      return listen({ refresh: again, on: { run: (row) => void (row.thread === thread && again()), gone: again } });
    });
    return () => stops.forEach((stop) => stop());
  }, [key, q, zone]);
  return runs;
}
