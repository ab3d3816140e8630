// A call under the rules of its agent, as the leaves of a run judge it.
// JUDGED-1. A call that `deny` names is not made, whoever said yes to it: its op ends with `tool/denied`.
// JUDGED-2. What a call leads to later (a redirect, a link that was swapped) is judged like the call itself.

import type { CallResult } from '../kernel/approval.ts';
import { FaultError, fault } from '../kernel/fault.ts';
import type { ToolCall } from '../kernel/message.ts';
import type { ComparedCall } from '../rules/compared-call.ts';
import {
  type CallVerdict,
  deniedFault,
  hangsOnCall,
  isDeniedWhole,
  judgeCall,
  type ToolRules,
} from '../rules/judge-call.ts';
import type { InvokeContext } from '../tools/invoke.ts';
import type { Tool } from '../tools/tool.ts';

export interface JudgedCall {
  readonly verdict: CallVerdict;
  /** The verdict on a call with other arguments. */
  again(input: unknown): Promise<CallVerdict>;
  /** The words of the rule that decided, for the record. */
  readonly rule: CallResult['rule'];
  readonly context: Pick<InvokeContext, 'admits' | 'isTrusted'>;
}

/** Throws `tool/denied`. `basis`: what a person saw who said yes, if one was asked about what they saw. */
export function judgedCall(
  tool: Tool,
  call: ToolCall,
  rules: ToolRules,
  basis: string | undefined,
): JudgedCall | Promise<JudgedCall> {
  return judgedAlike(rules) ?? judgedByItself(tool, call, rules, basis);
}

const alike = new WeakMap<ToolRules, JudgedCall>();

/** Where no rule looks at a call, all calls of the tool have one verdict. Undefined where one does, or denies them all. */
function judgedAlike(rules: ToolRules): JudgedCall | undefined {
  const known = alike.get(rules);
  if (known !== undefined || hangsOnCall(rules) || isDeniedWhole(rules)) return known;
  const verdict = judgeCall(rules, { kind: 'arguments', arguments: undefined });
  const context = { isTrusted: verdict.kind === 'trusted' };
  const made: JudgedCall = { verdict, again: async () => verdict, rule: ruleTold(verdict), context };
  alike.set(rules, made);
  return made;
}

async function judgedByItself(
  tool: Tool,
  call: ToolCall,
  rules: ToolRules,
  basis: string | undefined,
): Promise<JudgedCall> {
  const compared = await comparedCall(tool, call.arguments, rules);
  const verdict = admitted(tool, rules, compared);
  const looks = hangsOnCall(rules);
  const leadsElsewhere = (now: CallVerdict): boolean => now.kind === 'asks' && verdict.kind !== 'asks';
  if (verdict.kind === 'asks' && 'paths' in compared && basis === undefined) throw elsewhere(tool);
  return {
    verdict,
    again: async (input) => admitted(tool, rules, await comparedCall(tool, input, rules)),
    rule: ruleTold(verdict),
    context: {
      isTrusted: !looks && verdict.kind === 'trusted',
      ...(looks && {
        admits(paths) {
          const now = admitted(tool, rules, { ...compared, paths } as ComparedCall);
          if (leadsElsewhere(now)) throw elsewhere(tool); // JUDGED-2
        },
      }),
    },
  };
}

const ruleTold = ({ kind, rule }: CallVerdict): JudgedCall['rule'] =>
  rule === undefined || (kind !== 'asks' && kind !== 'trusted') ? undefined : { verdict: kind, entry: rule.entry };

/** The verdict before anybody is asked. */
export const judgedBefore = async (tool: Tool, call: ToolCall, rules: ToolRules): Promise<CallVerdict> =>
  judgeCall(rules, await comparedCall(tool, call.arguments, rules));

/** JUDGED-1. */
function admitted(tool: Tool, rules: ToolRules, compared: ComparedCall): CallVerdict {
  const verdict = judgeCall(rules, compared);
  if (verdict.kind === 'denied' && verdict.rule !== undefined)
    throw deniedFault(tool.spec.name, verdict.rule, compared);
  return verdict;
}

/** A tool looks at its arguments only where a rule asks about them. */
const comparedCall = async (tool: Tool, input: unknown, rules: ToolRules): Promise<ComparedCall> =>
  (hangsOnCall(rules) ? await tool.compared?.(input) : undefined) ?? { kind: 'arguments', arguments: input };

const elsewhere = ({ spec }: Tool): FaultError =>
  new FaultError(
    fault('tool/failed', `What this call of ${spec.name} names leads elsewhere since a moment ago. Call it again.`),
  );
