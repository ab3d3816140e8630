// The verdict of an agent's rules on one call. This is the only place that knows which entry counts.
// JUDGE-1. `deny` counts first. Then an entry with brackets counts before one without, and among these `approve` before
//     `trust`. Without any, the tool's own default counts.

import { FaultError, fault } from '../kernel/fault.ts';
import type { CallRule } from './call-rule.ts';
import { type ComparedCall, doubtAbout, matchesNarrowly, matchesWidely } from './compared-call.ts';

/** The entries that mean one tool. */
export interface ToolRules {
  readonly deny: readonly CallRule[];
  readonly approve: readonly CallRule[];
  readonly trust: readonly CallRule[];
  /** Its calls ask unless they are trusted. */
  readonly asks: boolean;
}

export interface CallVerdict {
  readonly kind: 'denied' | 'asks' | 'trusted' | 'free';
  /** The entry that decided. Absent: the tool's default. */
  readonly rule?: CallRule;
}

/** JUDGE-1. */
export function judgeCall({ deny, approve, trust, asks }: ToolRules, call: ComparedCall): CallVerdict {
  const isWide = (rule: CallRule): boolean => matchesWidely(rule, call);
  const isNarrow = (rule: CallRule): boolean => matchesNarrowly(rule, call);
  const found =
    decided('denied', deny.find(isWide)) ??
    decided('asks', approve.filter(hasBrackets).find(isWide)) ??
    decided('trusted', trust.filter(hasBrackets).find(isNarrow)) ??
    decided('asks', approve.find(isWhole)) ??
    decided('trusted', trust.find(isWhole));
  return found ?? { kind: asks ? 'asks' : 'free' };
}

function decided(kind: CallVerdict['kind'], rule: CallRule | undefined): CallVerdict | undefined {
  return rule === undefined ? undefined : { kind, rule };
}

const hasBrackets = ({ inBrackets }: CallRule): boolean => inBrackets !== undefined;
const isWhole = (rule: CallRule): boolean => !hasBrackets(rule);

/** No call of it is ever made. */
export const isDeniedWhole = ({ deny }: Pick<ToolRules, 'deny'>): boolean => deny.some(isWhole);

/** The verdict depends on the call. */
export const hangsOnCall = ({ deny, approve, trust }: ToolRules): boolean =>
  [deny, approve, trust].some((rules) => rules.some(hasBrackets));

/** Some call of it asks a person. */
export const mayAsk = ({ approve, trust, asks }: ToolRules): boolean =>
  approve.length > 0 || (asks && !trust.some(isWhole));

/** The end of a call that a rule denies. It names the rule, and nobody is asked. */
export function deniedFault(tool: string, rule: CallRule, call: ComparedCall): FaultError {
  const doubt = doubtAbout(rule, call);
  const why = doubt === undefined ? '' : ` Calls that cannot be compared with it are denied too, and ${doubt}.`;
  const message =
    `The rule "${rule.entry}" under deny forbids this call of ${tool}.${why} ` +
    'It was not made, and nobody can allow it. Do without it, or say in your answer what you could not do.';
  return new FaultError(fault('tool/denied', message, { rule: rule.entry }));
}
