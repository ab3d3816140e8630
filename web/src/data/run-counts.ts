// The number of runs that fit a filter, their states and sums, and what each day came to: from the server, because what is
// loaded says nothing of the rest. They come after the rows.

import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { RunList, SpentList } from '../../../src/server/protocol.ts';
import { getJson } from './api.ts';
import { standingOf } from './listed-runs.ts';
import { rereading } from './reread.ts';
import { listen } from './server-stream.ts';

/** Between two reads, because each looks at every run of the store. */
const PAUSE_MS = 1000;

export interface CountQuery {
  /** The words without the choice of states: their states are counted. */
  readonly all: string;
  /** The words with it: their sum. */
  readonly chosen: string;
  /** The words without days: what each day came to. */
  readonly days: string;
  readonly zone: string;
}

export interface RunCounts {
  readonly total: number;
  readonly states: NonNullable<RunList['states']>;
  readonly sum: SpentList['total'];
}

export interface SpentDays extends SpentList {
  /** All of it is of one day: the rows are its hours. */
  readonly isOfOneDay: boolean;
}

class CountedRuns {
  readonly counts = signal<RunCounts | undefined>(undefined);
  readonly days = signal<SpentDays | undefined>(undefined);
  readonly close: () => void;
  readonly #query: CountQuery;
  readonly #standing = new Map<string, string>();

  constructor(query: CountQuery) {
    this.#query = query;
    const again = rereading(() => this.#read(), PAUSE_MS);
    this.close = listen({
      refresh: again,
      on: {
        run: (row) => {
          if (this.#standing.get(row.run) === standingOf(row)) return;
          this.#standing.set(row.run, standingOf(row));
          again();
        },
        gone: again,
      },
    });
  }

  async #read(): Promise<void> {
    const { all, chosen, days, zone } = this.#query;
    const asked = <Answer>(path: string, q: string): Promise<Answer> =>
      getJson<Answer>(`${path}&${new URLSearchParams(q === '' ? { zone } : { zone, q }).toString()}`);
    try {
      const [list, own, byDay] = await Promise.all([
        asked<RunList>('/api/runs?limit=1', all),
        chosen === all ? undefined : asked<RunList>('/api/runs?limit=1', chosen),
        asked<SpentList>('/api/runs/spent?by=day', days),
      ]);
      const isOfOneDay = byDay.rows.length === 1;
      const spent = isOfOneDay ? await asked<SpentList>('/api/runs/spent?by=hour', days) : byDay;
      const { total, states, sum } = list;
      if (total === undefined || states === undefined || sum === undefined) return;
      this.counts.value = { total, states, sum: own?.sum ?? sum };
      this.days.value = { ...spent, isOfOneDay };
    } catch {
      // The connection says that it is lost: what is known stays.
    }
  }
}

/** Undefined until the server has said it. The days stay as they are while only others of them are chosen. */
export function useRunCounts(query: CountQuery) {
  const { all, chosen, days, zone } = query;
  const counted = useMemo(() => new CountedRuns(query), [all, chosen, days, zone]);
  useEffect(() => () => counted.close(), [counted]);
  const before = useRef({ query: days, days: counted.days.value });
  const now = counted.days.value;
  if (now !== undefined || before.current.query !== days) before.current = { query: days, days: now };
  return { counts: counted.counts.value, days: before.current.days };
}
