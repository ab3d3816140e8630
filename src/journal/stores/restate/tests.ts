// Results of tests in Restate, each an object of its own: the cell `head` is what a list shows, `body` is the rest.

import { fail } from '../../../kernel/fault.ts';
import { checkRunId } from '../../run-names.ts';
import { type ListedTests, MOST_TESTS, type TestResults } from '../../store.ts';
import type { RestateClient } from './client.ts';
import { TESTS } from './wire.ts';

const MOST_BYTES = 16 * 1_048_576;

/** What the object answers and keeps. */
export interface TestCell {
  readonly at: number;
  readonly head: string;
}

export function restateTests(client: RestateClient): TestResults {
  const list = async (): Promise<readonly ListedTests[]> => {
    const cells = await client.query<{ readonly service_key: string; readonly value_utf8: string }>(
      `select service_key, value_utf8 from state where service_name = '${TESTS}' and key = 'head' order by service_key desc`,
    );
    return cells.map(({ service_key: id, value_utf8: text }) => {
      const { at, head } = JSON.parse(text) as TestCell;
      return { id, head, putAt: at };
    });
  };
  const remove = async (id: string): Promise<void> => {
    await client.text([TESTS, checkRunId(id), 'forget'], '', { once: true });
  };
  return {
    async put(id, kept) {
      const text = JSON.stringify(kept);
      if (Buffer.byteLength(text) > MOST_BYTES)
        fail(
          'journal/write',
          `The result of ${id} is too large for a store in Restate, which takes ${MOST_BYTES} bytes.`,
        );
      await client.text([TESTS, checkRunId(id), 'put'], text, { once: true });
      for (const old of (await list()).slice(MOST_TESTS)) await remove(old.id);
    },
    list: async () => (await list()).slice(0, MOST_TESTS),
    async get(id) {
      const text = await client.text([TESTS, checkRunId(id), 'get']);
      if (text === '') return undefined;
      const { at, head, body } = JSON.parse(text) as TestCell & { readonly body: string };
      return { id, head, body, putAt: at };
    },
    remove,
  };
}
