// What waits for a person in any run, oldest first.

import { signal } from '@preact/signals';
import type { ApprovalInfo, ApprovalList, ControlAccepted, GivenVerdict } from '../../../src/server/protocol.ts';
import { getJson, postJson } from './api.ts';
import { listen } from './server-stream.ts';

export const approvals = signal<readonly ApprovalInfo[]>([]);

async function refresh(): Promise<void> {
  approvals.value = (await getJson<ApprovalList>('/api/approvals')).waiting;
}

export const startApprovals = (): void => {
  const again = (): void => void refresh().catch(() => undefined); // the connection says that it is lost
  listen({ refresh: again, on: { approval: again } });
};

export const giveVerdict = (run: string, path: string, verdict: GivenVerdict): Promise<ControlAccepted> =>
  postJson(`/api/runs/${encodeURIComponent(run)}/ops/${path}/verdict`, verdict);
