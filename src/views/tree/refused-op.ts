// Ops that were over as they began, and whose call was refused all the same.

import type { InstantOp } from '../../journal/event.ts';
import type { PreviewAnswer } from '../../kernel/approval.ts';
import type { Broadcast } from '../../kernel/effect.ts';
import type { SpawnAnswer, SpawnDelivery } from '../../kernel/spawned.ts';

export interface OpRefusal {
  readonly name: string;
  readonly why: string;
  /** The id of a call that has no row of its own. */
  readonly call?: string;
  readonly partly?: true;
}

export function refusalOf({ kind, detail, value }: InstantOp): OpRefusal | undefined {
  switch (kind) {
    case 'preview': {
      const answer = value as PreviewAnswer;
      const { call } = detail as { readonly call: { readonly id: string; readonly name: string } };
      return answer.kind === 'refused' ? { name: call.name, call: call.id, why: answer.text } : undefined;
    }
    case 'spawn':
      return refusedSpawns(value as SpawnAnswer);
    case 'send': {
      const { to, state } = value as SpawnDelivery;
      return to === null ? { name: 'sessions_send', why: `Not sent: the run has ended (${state}).` } : undefined;
    }
    case 'post': {
      const { refused } = value as Broadcast;
      return refused === undefined ? undefined : { name: 'team_broadcast', why: `Not sent: ${refused}` };
    }
    default:
      return undefined;
  }
}

/** One refusal for a call, however many runs it asked for. */
function refusedSpawns({ receipts }: SpawnAnswer): OpRefusal | undefined {
  const errors = receipts.flatMap((receipt) => (receipt.status === 'forbidden' ? [receipt.error] : []));
  if (errors.length === 0) return undefined;
  const reasons = [...new Set(errors)].join(' ');
  const why =
    errors.length === 1 && receipts.length === 1 ? reasons : `${errors.length} of ${receipts.length} runs: ${reasons}`;
  return { name: 'sessions_spawn', why, ...(errors.length < receipts.length && { partly: true as const }) };
}
