// A fault as people read it: what happened, how often, the code last, then the way out. Each number stands there once. The
// figures are read from the details of the fault and from what was tried, and never from its message.

import { FAULTS, type Fault, WITHOUT_REASON } from '../kernel/fault.ts';
import { duration, plural, tokens, usd } from './amounts.ts';
import type { FaultSetting } from './fault-setting.ts';

/** `upstream connect error, 3 attempts (model/server). Trying again may help.` */
export function faultWords(fault: Fault, setting: FaultSetting = {}): string {
  return limitWordsOf(fault) ?? (fault.code === 'cancelled' ? cancelWords(fault, setting) : plainWords(fault, setting));
}

/** True if the words of a fault say by themselves how the run ended. */
export const namesOutcome = (fault: Fault): boolean => fault.code === 'cancelled' || limitWordsOf(fault) !== undefined;

function plainWords(fault: Fault, { tries }: FaultSetting): string {
  const isTries = tries !== undefined && tries.code === fault.code;
  const what = sentence(isTries ? tries.message : fault.message);
  const often = isTries && tries.attempts > 1 ? `, ${plural(tries.attempts, 'attempt')}` : '';
  return `${what}${often} (${fault.code}).${FAULTS[fault.code].retriable ? ' Trying again may help.' : ''}`;
}

/** `Cancelled by you, 7 s in.` A reason that somebody gave stands after it. */
function cancelWords({ message }: Fault, { by, ms }: FaultSetting): string {
  if (by === undefined) return `${sentence(message)}.`;
  const reason = message === WITHOUT_REASON ? '' : ` ${sentence(message)}.`;
  return `Cancelled by ${by}${ms === undefined ? '' : `, ${span(ms)} in`}.${reason}`;
}

function limitWordsOf({ code, message, details = {} }: Fault): string | undefined {
  if (code === 'turns/exhausted') return `${sentence(message)}.`;
  const { agent, unit, limit, spent, held, needed } = details;
  if (code === 'timeout' && unit === 'ms' && typeof limit === 'number')
    return `Timed out after ${span(limit)} (its limit).`;
  if (code !== 'budget/exceeded' || typeof limit !== 'number') return undefined;
  if (unit === 'ms') return `Over budget: its ${span(limit)} are over.`;
  if (typeof spent !== 'number' || typeof needed !== 'number') return undefined;
  const left = Math.max(0, limit - spent - (typeof held === 'number' ? held : 0));
  if (unit === 'usd')
    return `Over budget: the next call may cost ${usd(needed)}; ${usd(left)} of ${usd(limit)} is left.`;
  if (unit === 'sessions' || unit === 'depth') {
    const allowed = unit === 'depth' ? `${plural(limit, 'level')} below it` : plural(limit, 'session');
    return `Over budget: that of ${agent} allows ${allowed}, and one more was asked for.`;
  }
  return `Over budget: the next call may take ${tokens(needed)} tokens; ${tokens(left)} of ${tokens(limit)} are left.`;
}

const sentence = (text: string): string => text.trimEnd().replace(/\.$/, '');

/** `1.5 s`, `40 s`, `2m05s` */
function span(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 59_950 ? `${Number((ms / 1000).toFixed(1))} s` : duration(ms);
}
