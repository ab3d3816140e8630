// The end of an op, in the words of the op tree.

import type { Verdict } from '../kernel/effect.ts';
import { FAULTS, type OutcomeKind } from '../kernel/fault.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { OpEnd } from './event.ts';

/** `asks` is a call that ended with a question: after a yes it is made as another op (decision 60). */
export function opEndState({ kind, result }: OpEnd): OutcomeKind | 'done' | 'denied' | 'asks' {
  if (!result.ok) return FAULTS[result.fault.code].outcome;
  if (kind === 'run' || kind === 'say') return (result.value as Outcome).kind;
  if (kind === 'approval') return (result.value as Verdict).approved ? 'done' : 'denied';
  if (kind !== 'tool') return 'done';
  const { status, asks } = result.value as { readonly status?: unknown; readonly asks?: unknown };
  return status === 'error' ? 'failed' : asks === undefined ? 'done' : 'asks';
}
