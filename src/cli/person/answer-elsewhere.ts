// Answers what a run waits for that a worker works on: in the terminal that follows it, or beforehand with --approve. The
// answer is sent as a message, as cadre approve sends one. Without a terminal the run waits.

import type { RunHandle } from '../../engine/contract.ts';
import type { RunEvent, RunId } from '../../journal/event.ts';
import { approvalDigest } from '../../journal/fingerprint.ts';
import type { RunSummary } from '../../journal/store.ts';
import { faultOf } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';
import type { Approver } from '../../run/approver.ts';

export interface Elsewhere {
  readonly approve: Approver;
  /** True if somebody is there to answer this, or has answered it beforehand. */
  isAnswered(about: unknown): boolean;
  summary(run: RunId): Promise<RunSummary>;
  /** The reason why no worker has the run. */
  queuedWhy(summary: RunSummary): Promise<string | undefined>;
}

/** Is told every event of the run. */
export function answerElsewhere(
  handle: RunHandle,
  { approve, isAnswered }: Elsewhere,
  notice: (text: string) => void,
): (event: RunEvent) => void {
  const open = new Map<OpPath, AbortController>();
  const answer = async (op: OpPath, prompt: string, about: unknown): Promise<void> => {
    const gone = new AbortController();
    open.set(op, gone);
    const verdict = await approve(prompt, about as never, gone.signal, { run: handle.run, op });
    if (verdict === undefined || gone.signal.aborted) return;
    await handle.control({ kind: 'verdict', op, seen: approvalDigest(prompt, about), ...verdict });
  };
  return (event) => {
    if (event.type === 'op-end' || event.type === 'run-end') {
      for (const [op, gone] of open) if (event.type === 'run-end' || event.path === op) gone.abort();
      return;
    }
    if (event.type !== 'op-start' || event.op.kind !== 'approval' || open.has(event.path)) return;
    const { path, op } = event;
    if (!isAnswered(op.about)) {
      open.set(path, new AbortController());
      notice(`waits for a person: ${op.prompt} (cadre approve ${handle.run} ${path})`);
      return;
    }
    answer(path, op.prompt, op.about).catch((thrown: unknown) => notice(faultOf(thrown).message));
  };
}

/** The beginnings of ops that are under way after these events: a question that was answered is not asked again. */
export function beginningsOf(recorded: readonly RunEvent[]): readonly RunEvent[] {
  const ended = new Set(recorded.flatMap((event) => (event.type === 'op-end' ? [event.path] : [])));
  return recorded.filter((event) => event.type === 'op-start' && !ended.has(event.path));
}
