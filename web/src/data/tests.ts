// Results of tests: the list of them, and one. Read again when the server says that one has changed.

import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Problem } from '../../../src/client/problem.ts';
import type { TestInfo, TestList } from '../../../src/server/protocol.ts';
import { getJson, problemOf } from './api.ts';
import { rereading } from './reread.ts';
import { listen } from './server-stream.ts';

export type Loaded<Value> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: Value }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** The data at an address of the server, read again after each change that concerns it. */
class Kept<Value> {
  readonly state: Signal<Loaded<Value>> = signal({ kind: 'loading' });
  readonly close: () => void;
  readonly #path: string;

  constructor(path: string, concerns: (id: string) => boolean) {
    this.#path = path;
    const again = rereading(() => this.#read());
    this.close = listen({ refresh: again, on: { tests: ({ id }) => void (concerns(id) && again()) } });
  }

  async #read(): Promise<void> {
    try {
      this.state.value = { kind: 'ready', value: await getJson<Value>(this.#path) };
    } catch (thrown) {
      const problem = problemOf(thrown);
      const wasRead = this.state.value.kind === 'ready';
      if (!wasRead || problem.status === 404) this.state.value = { kind: 'refused', problem }; // else what was read stays
    }
  }
}

function useKept<Value>(path: string, concerns: (id: string) => boolean): Loaded<Value> {
  const kept = useMemo(() => new Kept<Value>(path, concerns), [path]);
  useEffect(() => kept.close, [kept]);
  return kept.state.value;
}

export const useTestList = (): Loaded<TestList> => useKept('/api/tests', () => true);

/** `test` may be an id, the beginning of one, or `last`. */
export const useTest = (test: string): Loaded<TestInfo> =>
  useKept(`/api/tests/${encodeURIComponent(test)}`, (id) => test === 'last' || id.startsWith(test));
