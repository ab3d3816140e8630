// The tool calls of a helper in a process of its own. They are made here, where files, secrets and people are: its process
// is asked nothing that its own words could decide.
// C1. A call that needs a yes is made once for each yes, and only as it was asked. Nothing that the child says counts as one.

import { createHash } from 'node:crypto';
import type { AgentDefinition } from '../../agents/definition.ts';
import { approvalPrompt, questionKey } from '../../kernel/approval.ts';
import type { Verdict } from '../../kernel/effect.ts';
import { faultOf } from '../../kernel/fault.ts';
import { errorResult, type ToolCall } from '../../kernel/message.ts';
import type { OpPath } from '../../kernel/path.ts';
import { NOTHING_SECRET } from '../../kernel/redacted.ts';
import { listViolations } from '../../kernel/schema.ts';
import { invoke, usualCapBytes } from '../../tools/invoke.ts';
import type { ApprovalAddress } from '../approver.ts';
import type { LiveRun } from '../driven-run.ts';
import type { LoadedCadre } from '../loaded-cadre.ts';
import { isStanding, underYes } from '../verdicts.ts';
import type { ChildOrder } from './subprocess.ts';

/** `approve` names the tools that need a person's yes. */
export function openChildCalls(
  helper: AgentDefinition,
  approve: readonly string[],
  run: LiveRun,
  op: OpPath,
): Pick<ChildOrder, 'ask' | 'make'> {
  const standing = new Map<string, Verdict>();
  /** C1. How many yeses each call has left. */
  const yeses = new Map<string, number>();
  const { cadre, environment } = run;
  const { check } = environment.services;
  const { verdicts } = run.state;
  const address: ApprovalAddress = { run: run.start.run, op };

  const verdictOn = async (call: ToolCall, signal: AbortSignal): Promise<Verdict> => {
    if (!approve.includes(call.name)) return { approved: false, note: `${call.name} is not a tool that asks.` };
    // The same question that a helper in this process would ask. The child's own words are not part of it.
    const prompt = approvalPrompt(helper.name, call);
    const key = questionKey(prompt, call);
    const earlier = verdicts.standing(key) ?? standing.get(key);
    if (earlier !== undefined) return earlier;
    try {
      const verdict = (await environment.approve(prompt, call, signal, address)) ?? NOT_FROM_ELSEWHERE;
      // It is recorded when the helper ends, so until then it is kept here.
      if (isStanding(verdict)) standing.set(key, underYes(address.op, verdict.by));
      return verdict;
    } catch (thrown) {
      return { approved: false, note: saidBy(thrown) };
    }
  };

  return {
    async ask(call, signal) {
      const verdict = await verdictOn(call, signal);
      if (verdict.approved) yeses.set(identity(call), (yeses.get(identity(call)) ?? 0) + 1);
      return verdict;
    },
    async make(call, signal) {
      try {
        const tool = (await cadre.resources.toolsOf(helper)).tools.get(call.name);
        if (tool === undefined) return errorResult(`There is no tool ${call.name}.`);
        const violations = check(tool.spec.parameters, call.arguments);
        if (violations.length > 0) return errorResult(`The arguments do not fit:\n${listViolations(violations)}`);
        if (approve.includes(call.name) && !takeOne(yeses, identity(call))) {
          return errorResult(`The call of ${call.name} was not approved.`);
        }
        return await invoke(tool, call, contextOf(cadre, address, signal), {
          timeoutMs: helper.toolTimeoutMs,
          capBytes: usualCapBytes,
          keep: async (text) => createHash('sha256').update(text).digest('hex'),
        });
      } catch (thrown) {
        return errorResult(saidBy(thrown));
      }
    },
  };
}

const contextOf = ({ secrets }: LoadedCadre, { run, op }: ApprovalAddress, signal: AbortSignal) => ({
  signal,
  callKey: `${run}/${op}`,
  progress() {},
  redactor: secrets ?? NOTHING_SECRET,
});

const identity = (call: ToolCall): string => JSON.stringify([call.name, call.arguments]);

function takeOne(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  if (left > 0) counts.set(key, left - 1);
  return left > 0;
}

function saidBy(thrown: unknown): string {
  const { code, message } = faultOf(thrown);
  return `${code}: ${message}`;
}

/** The questions of a helper in its own process are part of its one op, so none of them has an address. */
const NOT_FROM_ELSEWHERE: Verdict = {
  approved: false,
  note: 'A helper in a process of its own can be approved only where the run works, or beforehand with --approve.',
};
