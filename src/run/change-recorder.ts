// The record of the files that a tool call of a run changes. The intent goes to the record of the op (LEAF-1), and the
// texts go to the store.

import type { ChangeRecorder } from '../tools/tool.ts';
import type { Op } from '../world/world.ts';
import type { LiveRun } from './driven-run.ts';

export function changeRecorder(op: Op, { environment: { store }, journal }: LiveRun): ChangeRecorder {
  return {
    intended: journal.records.get(op.path)?.intent?.change,
    keep: (bytes) => store.blobs.put(bytes),
    async intend(change) {
      if (op.record === undefined) throw new Error(`op ${op.path} changes a file, and nothing records it`);
      await op.record.intent(change);
    },
  };
}
