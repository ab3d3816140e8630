// The limit that ended a run or an op, as people read it.

import type { LimitReached } from '../kernel/limit-reached.ts';
import { plural, tokens, usd } from './amounts.ts';

/** `2 of 2 turns`, `$0.0011 of $0.003`, `30 s of 30 s` */
export function limitWords({ unit, spent, limit }: LimitReached): string {
  switch (unit) {
    case 'usd':
      return `${money(spent)} of ${money(limit)}`;
    case 'ms':
      return `${time(spent)} of ${time(limit)}`;
    case 'tokens':
      return `${tokens(spent)} of ${tokens(limit)} tokens`;
    case 'depth':
      return `${spent} of ${plural(limit, 'level')}`;
    case 'turns':
    case 'sessions':
      return `${spent} of ${plural(limit, unit.slice(0, -1))}`;
  }
}

/** An amount as it is written in a file: without a last zero after the cents. */
const money = (amount: number): string => usd(amount).replace(/(\.\d\d)0$/, '$1');

function time(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / 1000).toFixed(1))} s`; // more is a minute, rounded
  const whole = Math.round(ms / 1000);
  const [minutes, seconds] = [Math.floor(whole / 60), whole % 60];
  return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`;
}
