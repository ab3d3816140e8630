// The rows of the list of runs that fit a filter, one for each conversation, newest first: pages of the server, kept up to
// date by the stream.

import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Problem } from '../../../src/client/problem.ts';
import type { RunList, RunRow } from '../../../src/server/protocol.ts';
import { getJson, problemOf } from './api.ts';
import { onceAFrame } from './frames.ts';
import { rereading } from './reread.ts';
import { listen } from './server-stream.ts';

const PAGE = 100;
/** The size of a page where all are wanted. */
const MANY = 500;

/** A newer row takes the place of one with its key: a conversation moves with its newest message. */
export const keyOfRun = ({ run, thread, messages }: RunRow): string =>
  messages === undefined || thread === undefined ? run : thread;

export const newestFirst = (left: RunRow, right: RunRow): number =>
  right.startedAt - left.startedAt || (left.run < right.run ? 1 : -1);

export interface ListFilter {
  /** The words for the server. */
  readonly q: string;
  readonly zone: string;
  /** The same for a row that the stream tells of. */
  readonly fits: (row: RunRow) => boolean;
}

export class ListedRuns {
  readonly rows = signal<readonly RunRow[]>([]);
  readonly state = signal<'loading' | 'ready' | { readonly refused: Problem }>('loading');
  readonly close: () => void;
  readonly #filter: ListFilter;
  readonly #rows = new Map<string, RunRow>();
  readonly #again = rereading(() => this.#first());
  readonly #show = onceAFrame(() => {
    this.rows.value = [...this.#rows.values()].sort(newestFirst);
  });
  #next: string | undefined;
  #reading: Promise<void> | undefined;

  constructor(filter: ListFilter) {
    this.#filter = filter;
    this.close = listen({
      refresh: this.#again,
      on: { run: (row) => this.#told(row), gone: this.#again },
    });
  }

  /** The next page. */
  more(): void {
    this.#reading ??= this.#page(PAGE).finally(() => {
      this.#reading = undefined;
    });
  }

  /** All pages: the list has its true end. */
  async toEnd(): Promise<void> {
    await this.#reading;
    while (this.#next !== undefined) await this.#page(MANY);
  }

  async #first(): Promise<void> {
    try {
      const { items, next } = await this.#asked({ limit: String(PAGE) });
      const oldest = items.at(-1);
      for (const [key, row] of this.#rows)
        if (oldest === undefined || newestFirst(row, oldest) <= 0) this.#rows.delete(key);
      if (this.#rows.size === 0) this.#next = next;
      this.#put(items);
      this.state.value = 'ready';
    } catch (thrown) {
      if (this.state.peek() !== 'ready') this.state.value = { refused: problemOf(thrown) };
    }
  }

  async #page(limit: number): Promise<void> {
    if (this.#next === undefined) return;
    try {
      const { items, next } = await this.#asked({ limit: String(limit), before: this.#next });
      this.#next = next;
      this.#put(items);
    } catch {
      this.#next = undefined; // the connection says that it is lost; the first page is read again with it
    }
  }

  #asked(fields: Readonly<Record<string, string>>): Promise<RunList> {
    const { q, zone } = this.#filter;
    const all = new URLSearchParams({ ...fields, together: 'true', totals: 'false' });
    if (q !== '') {
      all.set('q', q);
      all.set('zone', zone);
    }
    return getJson<RunList>(`/api/runs?${all.toString()}`);
  }

  /** The stream knows no sums of a conversation: they are read again when its standing changes. */
  #told(row: RunRow): void {
    const key = row.thread !== undefined && this.#rows.has(row.thread) ? row.thread : row.run;
    const known = this.#rows.get(key);
    if (known?.run === row.run) {
      if (this.#filter.fits(row))
        this.#rows.set(key, known.messages === undefined ? row : { ...row, messages: known.messages });
      else this.#rows.delete(key);
      this.#show();
      if (known.messages !== undefined && standingOf(known) !== standingOf(row)) this.#again();
    } else if (this.#filter.fits(row)) {
      if (row.thread === undefined) this.#put([row]);
      else this.#again();
    }
  }

  #put(rows: readonly RunRow[]): void {
    for (const row of rows) {
      this.#rows.set(keyOfRun(row), row);
      // The first message of a conversation stood there by itself until the second one came.
      if (row.messages !== undefined)
        for (const [key, other] of this.#rows) if (other.thread === row.thread && other !== row) this.#rows.delete(key);
    }
    this.#show();
  }
}

/** A person sees something else of the run in a list when this is another text. */
export const standingOf = ({ state, outcome, waiting, queued }: RunRow): string =>
  `${state} ${outcome ?? ''} ${waiting} ${queued ?? ''}`;

/** For as long as a screen shows it. The rows before stay until those of a new filter have come. */
export function useListedRuns(filter: ListFilter): ListedRuns {
  const wanted = useMemo(() => new ListedRuns(filter), [filter.q, filter.zone]);
  useEffect(() => () => wanted.close(), [wanted]);
  const shown = useRef(wanted);
  if (wanted.state.value !== 'loading') shown.current = wanted;
  return shown.current;
}
