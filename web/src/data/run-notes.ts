// The marks of people on one run, as the server tells them.

import { useEffect, useState } from 'preact/hooks';
import type { RunRow } from '../../../src/server/protocol.ts';
import { getJson } from './api.ts';
import { listen } from './server-stream.ts';

export type Notes = NonNullable<RunRow['notes']>;

/** Undefined until they are known. */
export function useRunNotes(run: string): Notes | undefined {
  const [known, setKnown] = useState<{ readonly run: string; readonly notes: Notes } | undefined>(undefined);
  useEffect(() => {
    const set = ({ notes = [] }: RunRow): void => setKnown({ run, notes });
    const refresh = (): void => {
      getJson<RunRow>(`/api/runs/${encodeURIComponent(run)}/summary`).then(set, () => undefined); // the connection says that it is lost
    };
    return listen({ refresh, on: { run: (row) => void (row.run === run && set(row)) } });
  }, [run]);
  return known?.run === run ? known.notes : undefined;
}
