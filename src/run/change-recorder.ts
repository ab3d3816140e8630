// What a tool call of a run records of the files that it changes. The intent goes to the record of the op (LEAF-1), and the texts go to the store.

import type { Journal } from '../journal/journal.ts';
import type { RunStore } from '../journal/store.ts';
import type { ChangeRecorder } from '../tools/tool.ts';
import type { Op } from '../world/world.ts';

interface ChangeRecorderParts {
  readonly store: RunStore;
  readonly journal: Pick<Journal, 'records'>;
}

export function changeRecorder(op: Op, { store, journal }: ChangeRecorderParts): ChangeRecorder {
  return {
    intended: journal.records.get(op.path)?.intent?.change,
    keep: (bytes) => store.blobs.put(bytes),
    async intend(change) {
      if (op.record === undefined) throw new Error(`op ${op.path} changes a file, and nothing records it`);
      await op.record.intent(change);
    },
  };
}
