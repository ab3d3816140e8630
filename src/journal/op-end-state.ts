// The end of an op, in the words of the op tree.

import type { Verdict } from '../kernel/effect.ts';
import { FAULTS, type OutcomeKind } from '../kernel/fault.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { OpEnd } from './event.ts';

export function opEndState({ kind, result }: OpEnd): OutcomeKind | 'done' | 'denied' {
  if (!result.ok) return FAULTS[result.fault.code].outcome;
  if (kind === 'run' || kind === 'say') return (result.value as Outcome).kind;
  if (kind === 'approval') return (result.value as Verdict).approved ? 'done' : 'denied';
  return kind === 'tool' && (result.value as { status?: unknown }).status === 'error' ? 'failed' : 'done';
}
