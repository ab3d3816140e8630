// The worker of a run: Restate's own description of its invocation.

import type { RunId } from '../../journal/event.ts';
import type { HandlerTarget, RestateClient } from './client.ts';
import { RUN } from './wire.ts';

/**
 * `running`: a worker has it. `queued`: Restate will give it to one. `paused`: it has an invocation that somebody has to
 * resume. `none`: nobody works on it, and nobody will.
 */
export type InvocationState = 'running' | 'queued' | 'paused' | 'none';

interface InvocationRow {
  readonly id: string;
  readonly target_service_key: RunId;
  readonly status: string;
  /** The failure of the attempt before, while another one waits. */
  readonly last_failure?: string | null;
}

export function placedBy(status: string | undefined): InvocationState {
  if (status === undefined || status === 'completed') return 'none';
  return status === 'running' || status === 'paused' ? status : 'queued';
}

/** `at` is the invocation that the run names. One that was made later has not begun, so the run does not name it yet. */
export async function placedOf(client: RestateClient, run: RunId, at: string | undefined): Promise<InvocationState> {
  if (at !== undefined) {
    const [row] = await client.query<InvocationRow>(`select status from sys_invocation where id = '${at}'`);
    const placed = placedBy(row?.status);
    if (placed !== 'none') return placed;
  }
  const open = (await invocationsOf(client, run)).map(({ status }) => placedBy(status));
  return open.find((placed) => placed === 'running') ?? open[0] ?? 'none';
}

/** The invocations that work on runs, or will. */
export const openInvocations = (client: RestateClient, which = 'true'): Promise<readonly InvocationRow[]> =>
  client.query<InvocationRow>(
    `select id, target_service_key, status, last_failure from sys_invocation where target_service_name = '${RUN}'` +
      ` and target_handler_name = 'work' and status <> 'completed' and ${which}`,
  );

/** They are few: one that works, and those that were made meanwhile. */
export const invocationsOf = (client: RestateClient, run: RunId): Promise<readonly InvocationRow[]> =>
  openInvocations(client, `target_service_key = '${run}'`);

export async function placedByRun(client: RestateClient): Promise<ReadonlyMap<RunId, InvocationState>> {
  const placed = new Map<RunId, InvocationState>();
  for (const { target_service_key: run, status } of await openInvocations(client))
    if (placed.get(run) !== 'running') placed.set(run, placedBy(status));
  return placed;
}

/** The invocations of a handler of an object that have not ended. */
export const openCalls = (
  client: RestateClient,
  [service, key, handler]: HandlerTarget,
): Promise<readonly Pick<InvocationRow, 'id' | 'last_failure'>[]> =>
  client.query(
    `select id, last_failure from sys_invocation where target_service_name = '${service}'` +
      ` and target_service_key = '${key}' and target_handler_name = '${handler}' and status <> 'completed'`,
  );

/**
 * The inputs of a handler that no worker has run yet, oldest first: each waits in Restate as an invocation, and the
 * first entry of its journal is the input. The key holds nothing that SQL could mistake.
 */
export async function waitingInputs(
  client: RestateClient,
  [service, key, handler]: HandlerTarget,
): Promise<readonly Uint8Array[]> {
  const rows = await client.query<{ readonly entry_json: string }>(
    `select j.entry_json from sys_invocation i join sys_journal j on j.id = i.id and j.index = 0
     where i.target_service_name = '${service}' and i.target_service_key = '${key}'
       and i.target_handler_name = '${handler}' and i.status <> 'completed' order by i.created_at`,
  );
  return rows.map(({ entry_json: entry }) =>
    Uint8Array.from(
      (JSON.parse(entry) as { readonly Command: { readonly Input: { readonly payload: readonly number[] } } }).Command
        .Input.payload,
    ),
  );
}
