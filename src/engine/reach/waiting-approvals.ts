// The calls that wait for a person, in a run of any process.

import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import type { Verdict } from '../../kernel/effect.ts';
import type { OpPath } from '../../kernel/path.ts';
import { approvalsFold, type WaitingApproval } from '../../views/approvals.ts';

export interface RunApprovals {
  readonly waiting: readonly WaitingApproval[];
  readonly decided: ReadonlyMap<OpPath, Verdict>;
}

export async function approvalsOf(run: RunId, store: RunStore): Promise<RunApprovals> {
  const fold = approvalsFold();
  for await (const event of store.read(run)) fold.add(event);
  return { waiting: fold.waiting(), decided: fold.decided };
}
