// One answer of the server, read when a part is shown, and again when what it depends on changes.

import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../../../src/client/problem.ts';
import { getJson, problemOf } from './api.ts';

/** Neither of both: it is on its way. */
export interface Reading<T> {
  readonly value?: T;
  readonly problem?: Problem;
}

/** Without a path nothing is read. While it is read `again`, what was read before stands. */
export function useRead<T>(path: string | undefined, again?: unknown): Reading<T> {
  const [read, setRead] = useState<Reading<T> & { readonly path?: string }>({});
  useEffect(() => {
    if (path === undefined) return undefined;
    const gone = new AbortController();
    getJson<T>(path, gone.signal).then(
      (value) => setRead({ path, value }),
      (thrown: unknown) => {
        if (!gone.signal.aborted) setRead({ path, problem: problemOf(thrown) });
      },
    );
    return () => gone.abort();
  }, [path, again]);
  return read.path === path ? read : {};
}
