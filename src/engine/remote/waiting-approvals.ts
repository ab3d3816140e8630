// The calls that wait for a person, in a run of any process.

import type { RunId } from '../../journal/event.ts';
import { approvalDigest } from '../../journal/fingerprint.ts';
import type { RunStore } from '../../journal/store.ts';
import { verdictIn } from '../../kernel/control.ts';
import type { Verdict } from '../../kernel/effect.ts';
import type { OpPath } from '../../kernel/path.ts';
import { ApprovalsFold, type DecidedApproval, type WaitingApproval } from '../../views/approvals.ts';
import { questionText } from '../../views/asking/question-lines.ts';

/** A waiting approval, as any surface shows it. */
export interface ShownApproval extends WaitingApproval {
  /** A verdict gives it back as `seen`. */
  readonly digest: string;
  /** The question, in lines that a person can read: every argument, and nothing that hides or turns text around. */
  readonly shown: string;
}

/** A verdict that still lies in the queue, because no process works on the run, decides as well. */
export async function approvalsOf(
  run: RunId,
  store: RunStore,
): Promise<{
  readonly waiting: readonly ShownApproval[];
  readonly untaken: readonly (ShownApproval & { readonly verdict: Verdict })[];
  readonly decided: ReadonlyMap<OpPath, Verdict>;
  /** Those that the run has taken, each with what came of its call. */
  readonly settled: readonly DecidedApproval[];
}> {
  const fold = new ApprovalsFold();
  for await (const event of store.read(run)) fold.add(event);
  const decided = new Map(fold.decided);
  for (const message of await store.control.posted(run))
    if (message.kind === 'verdict' && !decided.has(message.op)) decided.set(message.op, verdictIn(message));
  const open = fold.waiting().map(shownApproval);
  return {
    waiting: open.filter(({ path }) => !decided.has(path)),
    untaken: open.flatMap((one) => {
      const verdict = decided.get(one.path);
      return verdict === undefined ? [] : [{ ...one, verdict }];
    }),
    decided,
    settled: fold.settled(),
  };
}

const shownApproval = (one: WaitingApproval): ShownApproval => ({
  ...one,
  digest: approvalDigest(one.prompt, one.about),
  shown: questionText(one.about),
});
