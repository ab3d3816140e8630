// A verdict for a run that no worker has: the same on every store of a fleet.

import { expect } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { newMessage } from '../../src/engine/handle.ts';
import { approvalsOf } from '../../src/engine/remote/waiting-approvals.ts';
import type { RunId } from '../../src/journal/event.ts';
import type { RunStore } from '../../src/journal/store.ts';
import type { OpPath } from '../../src/kernel/path.ts';

/** Ada approves it: it is listed as hers, and Bob cannot decide it again. */
export async function expectDecidedByAda(front: Engine, store: RunStore, run: RunId, op: OpPath): Promise<void> {
  const digest = (await approvalsOf(run, store)).waiting.find(({ path }) => path === op)?.digest ?? '';
  const verdict = (seen: string) => newMessage({ kind: 'verdict', op, approved: true, by: 'ada', seen });
  await expect(front.control(run, verdict('0'.repeat(64)))).rejects.toMatchObject({
    fault: { code: 'approval/changed' },
  });
  expect(await front.control(run, verdict(digest))).toBe('waits');
  expect(await approvalsOf(run, store)).toMatchObject({
    waiting: [],
    untaken: [{ path: op, verdict: { approved: true, by: 'ada' } }],
  });
  await expect(front.control(run, newMessage({ kind: 'verdict', op, approved: false, by: 'bob' }))).rejects.toThrow(
    `Op ${op} was decided already: approved by ada.`,
  );
}
