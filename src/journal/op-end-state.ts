// How an op ended, in the words of the op tree.

import type { Verdict } from '../kernel/effect.ts';
import { FAULTS, type OutcomeKind } from '../kernel/fault.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { SubagentResult } from '../kernel/subagent.ts';
import type { OpEnd } from './event.ts';

export function opEndState({ kind, result }: OpEnd): OutcomeKind | 'done' | 'denied' {
  if (!result.ok) return FAULTS[result.fault.code].outcome;
  if (kind === 'run' || kind === 'say') return (result.value as Outcome).kind;
  if (kind === 'subagent') return helperState(result.value as SubagentResult);
  if (kind === 'approval') return (result.value as Verdict).approved ? 'done' : 'denied';
  return kind === 'tool' && (result.value as { status?: unknown }).status === 'error' ? 'failed' : 'done';
}

function helperState({ record }: SubagentResult): OutcomeKind {
  if (record.status === 'success') return 'answered';
  return record.status === 'timed_out' ? 'timed-out' : 'failed';
}
