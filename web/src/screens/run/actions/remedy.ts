// Two things help a run that a limit ended: another figure in a file, and a fork that takes the files as they are then. The same
// limit ends a fork that keeps the old ones.

import type { Fault } from '../../../../../src/kernel/fault.ts';
import { agentOfRun } from '../../../data/cadre.ts';
import { endingOf } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';

const KEYS = {
  'turns/exhausted': 'maxTurns',
  'turns/no-progress': 'stuck',
  'budget/exceeded': 'budget',
  timeout: 'timeout',
} as const;

/** Undefined where the fork alone may help. `own`: the fault of the op, if it has one. */
export function remedyFor(own: Fault | undefined, view: RunView): string | undefined {
  const { events, count } = view.data.extent.value;
  const ending = endingOf(events, count)?.outcome;
  const fault = own ?? (ending !== undefined && 'fault' in ending ? ending.fault : undefined);
  const key = KEYS[fault?.code as keyof typeof KEYS];
  const { start } = view.facts.value;
  if (fault === undefined || key === undefined || start === undefined) return undefined;
  const named = fault.details?.['agent'];
  const agent = typeof named === 'string' ? named : (fault.stage ?? start.agent);
  const file = agentOfRun({ ...start, agent })?.file ?? `${agent}.md`;
  return `Raise ${key} in ${file}, and fork with the files as they are then.`;
}
