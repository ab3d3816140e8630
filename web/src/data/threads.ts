// Conversations: the list of them, and one with its messages. Both are read again when a run of a thread begins, ends, or
// asks a person: what it says meanwhile comes from the run itself.

import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Problem } from '../../../src/client/problem.ts';
import type { RunRow, ThreadInfo, ThreadList, ThreadRow } from '../../../src/server/protocol.ts';
import { getJson, problemOf } from './api.ts';
import { rereading } from './reread.ts';
import { listen } from './server-stream.ts';

type Reading = 'loading' | 'ready' | { readonly refused: Problem };

const PAGE = 100;

/** The standing of a run in a list, and the marks on it. */
const standing = ({ state, outcome, waiting, notes = [] }: RunRow): string =>
  JSON.stringify([state, outcome, waiting, notes]);

/** Calls `changed` when a run of a thread is new, or stands otherwise than before. */
function whenChanged(fits: (row: RunRow) => boolean, changed: () => void): () => void {
  const seen = new Map<string, string>();
  return listen({
    refresh: changed,
    on: {
      run: (row) => {
        if (row.thread === undefined || !fits(row) || seen.get(row.run) === standing(row)) return;
        seen.set(row.run, standing(row));
        changed();
      },
      gone: changed,
    },
  });
}

class ThreadPages {
  readonly rows: Signal<readonly ThreadRow[]> = signal([]);
  /** The number of all that fit; undefined until the server has said so. */
  readonly total = signal<number | undefined>(undefined);
  readonly reading: Signal<Reading> = signal('loading');
  readonly close: () => void;
  readonly #query: string;
  readonly #again = rereading(() => this.#read());
  #wanted = PAGE;

  constructor(query: string) {
    this.#query = query;
    this.close = whenChanged(() => true, this.#again);
  }

  more(): void {
    if (this.rows.value.length >= (this.total.value ?? 0)) return;
    this.#wanted = this.rows.value.length + PAGE;
    this.#again();
  }

  async #read(): Promise<void> {
    const rows: ThreadRow[] = [];
    let before: string | undefined;
    try {
      do {
        const fields = new URLSearchParams({ limit: String(PAGE) });
        if (this.#query !== '') fields.set('q', this.#query);
        if (before !== undefined) fields.set('before', before);
        const list = await getJson<ThreadList>(`/api/threads?${fields.toString()}`);
        rows.push(...list.items);
        this.total.value = list.total;
        before = list.next;
      } while (before !== undefined && rows.length < this.#wanted);
      this.rows.value = rows;
      this.reading.value = 'ready';
    } catch (thrown) {
      if (this.reading.value === 'loading') this.reading.value = { refused: problemOf(thrown) };
    }
  }
}

export function useThreads(query: string): ThreadPages {
  const pages = useMemo(() => new ThreadPages(query), [query]);
  useEffect(() => () => pages.close(), [pages]);
  return pages;
}

class ThreadData {
  readonly info = signal<ThreadInfo | undefined>(undefined);
  readonly refused = signal<Problem | undefined>(undefined);
  readonly close: () => void;
  readonly again = rereading(() => this.#read());
  readonly #thread: string;

  constructor(thread: string) {
    this.#thread = thread;
    this.close = whenChanged((row) => row.thread === thread, this.again);
  }

  async #read(): Promise<void> {
    try {
      this.info.value = await getJson<ThreadInfo>(`/api/threads/${encodeURIComponent(this.#thread)}`);
      this.refused.value = undefined;
    } catch (thrown) {
      if (this.info.value === undefined) this.refused.value = problemOf(thrown);
    }
  }
}

export function useThread(thread: string): ThreadData {
  const data = useMemo(() => new ThreadData(thread), [thread]);
  useEffect(() => () => data.close(), [data]);
  return data;
}
