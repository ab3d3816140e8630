// What waits for a person in any run, oldest first.

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type {
  ApprovalInfo,
  ApprovalList,
  ControlAccepted,
  DecidedInfo,
  GivenVerdict,
} from '../../../src/server/protocol.ts';
import { getJson, postJson } from './api.ts';
import { listen } from './server-stream.ts';

export const approvals = signal<readonly ApprovalInfo[]>([]);

async function refresh(): Promise<void> {
  approvals.value = (await getJson<ApprovalList>('/api/approvals')).waiting;
}

const DECIDED = 20;

/** Those that were decided last, newest first. Undefined until they were read. Read again when one comes or goes. */
export function useDecided(): readonly DecidedInfo[] | undefined {
  const [decided, setDecided] = useState<readonly DecidedInfo[] | undefined>(undefined);
  useEffect(() => {
    const again = (): void => {
      getJson<ApprovalList>(`/api/approvals?decided=${DECIDED}`)
        .then((list) => setDecided(list.decided ?? []))
        .catch(() => undefined); // the connection says that it is lost
    };
    return listen({ refresh: again, on: { approval: again, run: ({ decided: count }) => void (count && again()) } });
  }, []);
  return decided;
}

export const startApprovals = (): void => {
  const again = (): void => void refresh().catch(() => undefined); // the connection says that it is lost
  listen({ refresh: again, on: { approval: again } });
};

export const giveVerdict = (run: string, path: string, verdict: GivenVerdict): Promise<ControlAccepted> =>
  postJson(`/api/runs/${encodeURIComponent(run)}/ops/${path}/verdict`, verdict);
