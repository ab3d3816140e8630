// The questions that wait for a person in any run, oldest first.

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type {
  ApprovalInfo,
  ApprovalList,
  ControlAccepted,
  DecidedInfo,
  GivenVerdict,
  UntakenInfo,
} from '../../../src/server/protocol.ts';
import { getJson, reached } from './api.ts';
import { rereading } from './reread.ts';
import { listen } from './server-stream.ts';

export const approvals = signal<readonly ApprovalInfo[]>([]);
/** Decided, in runs that no process works on now. */
export const untaken = signal<readonly UntakenInfo[]>([]);

async function refresh(): Promise<void> {
  const list = await getJson<ApprovalList>('/api/approvals');
  approvals.value = list.waiting;
  untaken.value = list.untaken;
}

const DECIDED = 20;

/** Those that were decided last, newest first. Undefined until they were read. Read again when one comes or goes. */
export function useDecided(): readonly DecidedInfo[] | undefined {
  const [decided, setDecided] = useState<readonly DecidedInfo[] | undefined>(undefined);
  useEffect(() => {
    const again = rereading(
      () =>
        getJson<ApprovalList>(`/api/approvals?decided=${DECIDED}`)
          .then((list) => setDecided(list.decided ?? []))
          .catch(() => undefined), // the connection says that it is lost
    );
    return listen({ refresh: again, on: { approval: again, run: ({ decided: count }) => void (count && again()) } });
  }, []);
  return decided;
}

const again = rereading(() => refresh().catch(() => undefined)); // the connection says that it is lost

export const startApprovals = (): void => {
  listen({ refresh: again, on: { approval: again } });
};

export const approvalAt = (run: string, path: string): ApprovalInfo | undefined =>
  approvals.value.find((one) => one.run === run && one.path === path);

/**
 * A verdict on what was drawn, and on nothing else. The stream tells of a verdict for a run that no process works on after
 * a while; whoever gave it sees it at once.
 */
export async function giveVerdict(
  { run, path, digest }: Pick<ApprovalInfo, 'run' | 'path' | 'digest'>,
  verdict: Omit<GivenVerdict, 'seen'>,
): Promise<ControlAccepted> {
  const body: GivenVerdict = { ...verdict, seen: digest };
  const answer = await reached(`/api/runs/${encodeURIComponent(run)}/ops/${path}/verdict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `${run} ${path}` },
    body: JSON.stringify(body),
  }).finally(again); // refused, it may ask for something else by now
  return (await answer.json()) as ControlAccepted;
}
