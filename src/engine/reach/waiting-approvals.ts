// The calls that wait for a person, in a run of any process.

import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { verdictIn } from '../../kernel/control.ts';
import type { Verdict } from '../../kernel/effect.ts';
import type { OpPath } from '../../kernel/path.ts';
import { approvalsFold, type DecidedApproval, type WaitingApproval } from '../../views/approvals.ts';

export interface RunApprovals {
  readonly waiting: readonly WaitingApproval[];
  readonly decided: ReadonlyMap<OpPath, Verdict>;
  /** Those that the run has taken, each with what came of its call. */
  readonly settled: readonly DecidedApproval[];
}

/** A verdict that still lies in the queue, because no process works on the run, decides as well. */
export async function approvalsOf(run: RunId, store: RunStore): Promise<RunApprovals> {
  const fold = approvalsFold();
  for await (const event of store.read(run)) fold.add(event);
  const decided = new Map(fold.decided);
  for (const message of await store.control.posted(run))
    if (message.kind === 'verdict' && !decided.has(message.op)) decided.set(message.op, verdictIn(message));
  return { waiting: fold.waiting().filter(({ path }) => !decided.has(path)), decided, settled: fold.settled() };
}
