// Results of tests that a store keeps: all of them, and the one that a person names.

import type { RunStore } from '../journal/store.ts';
import { fail } from '../kernel/fault.ts';
import {
  readCases,
  readHead,
  type TestHead,
  type TestRecord,
  type TestState,
  testState,
} from '../views/tests/test-record.ts';

/** Newest first. */
export async function testHeads(
  store: RunStore,
  now: number,
): Promise<readonly { readonly head: TestHead; readonly state: TestState }[]> {
  const listed = await store.tests.list();
  return listed.map(({ head: text, putAt }) => {
    const head = readHead(text);
    return { head, state: testState(head, putAt, now) };
  });
}

/** Finds a record by its id, a unique beginning of it, or `last`. Throws `test/unknown`. */
export async function findTestRecord(
  asked: string,
  store: RunStore,
  now: number,
): Promise<TestRecord & { readonly head: TestHead; readonly state: TestState }> {
  const ids = (await store.tests.list()).map(({ id }) => id);
  const id = asked === 'last' ? ids[0] : matching(asked, ids);
  const kept = id === undefined ? undefined : await store.tests.get(id);
  if (kept === undefined) return unknown(asked, ids);
  const head = readHead(kept.head);
  return { head, cases: readCases(kept.body), state: testState(head, kept.putAt, now) };
}

function matching(asked: string, ids: readonly string[]): string | undefined {
  if (ids.includes(asked)) return asked;
  const found = asked === '' ? [] : ids.filter((id) => id.startsWith(asked));
  if (found.length > 1)
    fail('test/unknown', `${shown(asked)} stands for ${found.length} results: ${found.slice(0, 5).join(', ')}.`);
  return found[0];
}

function unknown(asked: string, ids: readonly string[]): never {
  const others =
    ids.length === 0 ? 'None is kept here yet: run cadre test.' : `These are kept: ${ids.slice(0, 5).join(', ')}`;
  return fail('test/unknown', `There is no result of tests ${shown(asked)}. ${others}`);
}

const shown = (asked: string): string => JSON.stringify(asked.slice(0, 80));
