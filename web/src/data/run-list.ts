// Lists of runs: pages as the server gives them, newest first, kept up to date by the stream. A run that is new goes to
// the front of the list; who shows it decides when a person sees it.

import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Problem } from '../../../src/client/problem.ts';
import type { RunList, RunRow } from '../../../src/server/protocol.ts';
import { getJson, problemOf } from './api.ts';
import { onceAFrame } from './frames.ts';
import { rereading } from './reread.ts';
import { listen } from './server-stream.ts';

export type ListState = 'loading' | 'ready' | { readonly refused: Problem };

const PAGE = 100;

export class RunPages {
  readonly rows: Signal<readonly RunRow[]> = signal([]);
  readonly state: Signal<ListState> = signal('loading');
  /** True if the server has older ones. */
  readonly hasMore = signal(false);
  readonly #query: string;
  readonly #byId = new Map<string, RunRow>();
  /** The runs that the stream has told of since each read under way began: newer than its answer. */
  readonly #toldSince = new Set<Set<string>>();
  readonly #show = onceAFrame(() => this.#tell());
  readonly #stop: () => void;
  #next: string | undefined;

  /** `query`: the fields of `GET /api/runs`, without `before` and `limit`. */
  constructor(query = '') {
    this.#query = query;
    this.#stop = listen({
      refresh: rereading(() => this.#read(undefined)),
      on: {
        run: (row) => {
          this.#note(row.run);
          this.#put([row]);
        },
        gone: ({ run }) => {
          this.#note(run);
          this.#byId.delete(run);
          this.#show();
        },
      },
    });
  }

  more(): void {
    if (this.#next !== undefined) void this.#read(this.#next);
  }

  close(): void {
    this.#stop();
  }

  async #read(before: string | undefined): Promise<void> {
    const fields = new URLSearchParams(this.#query);
    fields.set('limit', String(PAGE));
    if (before !== undefined) fields.set('before', before);
    const told = new Set<string>();
    this.#toldSince.add(told);
    try {
      const { items, next } = await getJson<RunList>(`/api/runs?${fields.toString()}`);
      if (before !== undefined || this.#byId.size === 0) this.#next = next;
      this.#put(items.filter(({ run }) => !told.has(run)));
      this.state.value = 'ready';
    } catch (thrown) {
      if (this.#byId.size === 0) this.state.value = { refused: problemOf(thrown) };
    } finally {
      this.#toldSince.delete(told);
    }
  }

  #note(run: string): void {
    for (const told of this.#toldSince) told.add(run);
  }

  #put(rows: readonly RunRow[]): void {
    for (const row of rows) this.#byId.set(row.run, row);
    this.#show();
  }

  #tell(): void {
    this.hasMore.value = this.#next !== undefined;
    this.rows.value = [...this.#byId.values()].sort(
      (left, right) => right.startedAt - left.startedAt || (left.run < right.run ? 1 : -1),
    );
  }
}

/** A list for as long as a screen shows it. */
export function useRunPages(query = ''): RunPages {
  const pages = useMemo(() => new RunPages(query), [query]);
  useEffect(() => () => pages.close(), [pages]);
  return pages;
}
