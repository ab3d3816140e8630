// Results of tests in memory.

import { type KeptTests, type ListedTests, MOST_TESTS, type TestResults } from '../store.ts';
import { checkRunId } from './run-names.ts';

export function memoryTests(): TestResults {
  const kept = new Map<string, ListedTests & KeptTests>();
  const newest = (): readonly string[] => [...kept.keys()].sort().reverse();
  return {
    async put(id, { head, body }) {
      kept.set(checkRunId(id), { id, head, body, putAt: Date.now() });
      for (const old of newest().slice(MOST_TESTS)) kept.delete(old);
    },
    async list() {
      return newest().flatMap((id) => {
        const { body: _body, ...listed } = kept.get(id) as ListedTests & KeptTests;
        return [listed];
      });
    },
    get: async (id) => kept.get(checkRunId(id)),
    async remove(id) {
      kept.delete(checkRunId(id));
    },
  };
}
