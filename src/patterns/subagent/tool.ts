// The tool `subagent`: one bounded delegation with a deterministic contract. It answers every call with the same keys,
// and its failures are data for the parent, never an exception.

import type { AgentName, Routine } from '../../kernel/effect.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { ToolResult } from '../../kernel/message.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import type { SchemaCheck } from '../../kernel/schema.ts';
import type { SessionTool } from '../../kernel/session/session-tool.ts';
import { helperName, type SubagentLimits, type SubagentRecord, type SubagentRequest } from '../../kernel/subagent.ts';
import { runAgent } from '../run-agent.ts';
import { brokenBy, type Ending, lateMessage, outputOf, outputText, recordedOutput } from './output.ts';
import { readRequest, runInputOf, subagentSpec } from './request.ts';

export function subagentTool({
  agent,
  depth,
  limits,
  enabled,
  check,
}: {
  /** The agent whose file has the limits. */
  readonly agent: AgentName;
  /** The depth of the owner of this tool: 0 for the agent itself, 1 for its helper. */
  readonly depth: number;
  readonly limits: SubagentLimits;
  readonly enabled: boolean;
  readonly check: SchemaCheck;
}): SessionTool {
  const spec = subagentSpec(limits);
  const mayDelegate = depth < limits.maxDepth;
  const refuse = (ending: Ending, tookMs = 0): ToolResult => ({
    status: 'error',
    text: outputText(outputOf(ending, limits, tookMs)),
  });
  return {
    spec,
    readOnly: true,
    validatesItself: true,
    acceptsMalformed: true,
    // A helper that may not delegate is not offered the tool. If it calls it anyway, the result says why.
    ...(!mayDelegate && { currentSpec: () => undefined }),
    *run(call): Routine<ToolResult> {
      if (!enabled) return refuse(notEnabled(agent));
      if (!mayDelegate) return refuse(tooDeep(depth, limits));
      const reading = readRequest(call, spec, limits, check);
      if ('refused' in reading) return refuse({ kind: 'broken', error: reading.refused });
      const { request } = reading;
      const outcome = yield* runAgent({
        agent: helperName(agent),
        input: runInputOf(request),
        trigger: { kind: 'subagent', depth: depth + 1 },
        limits: { ms: request.timeoutSeconds * 1000, turns: request.maxIterations },
        isolate: limits.runner === 'subprocess' ? 'process' : undefined,
      });
      if (outcome.record !== undefined) return resultOf(outcome, outcome.record);
      if (isBroken(outcome)) return refuse(...notBegun(outcome.fault, request));
      throw new Error(`the run of a helper ended as ${outcome.kind}, without its record`);
    },
  };
}

function resultOf(outcome: Outcome, record: SubagentRecord): ToolResult {
  const { handle } = outcome;
  return {
    status: record.status === 'success' ? 'ok' : 'error',
    text: outputText(recordedOutput(outcome, record)),
    ...(handle !== undefined && { handle }),
  };
}

const notEnabled = (agent: AgentName): Ending =>
  brokenBy(
    'not_enabled',
    `subagent is not enabled in this phase. To enable it, write \`subagent: {enabled: true}\` in the frontmatter of ${agent}.`,
  );

const tooDeep = (depth: number, { maxDepth }: SubagentLimits): Ending =>
  brokenBy(
    'depth_exceeded',
    `A sub-agent at depth ${depth} may not delegate: subagent.maxDepth is ${maxDepth}. Do the task yourself.`,
  );

/** The ending of a helper that did not start at all, and the time that it had waited. */
function notBegun(fault: Fault, request: SubagentRequest): readonly [Ending, number] {
  switch (fault.code) {
    case 'timeout':
      return [brokenBy('timeout', lateMessage(request.timeoutSeconds)), request.timeoutSeconds * 1000];
    case 'budget/exceeded':
      return [brokenBy('over_budget', fault.message), 0];
    case 'cancelled':
      return [brokenBy('cancelled', fault.message), 0];
    case 'limit/depth':
      return [brokenBy('depth_exceeded', fault.message), 0];
    default:
      return [brokenBy('start_failed', `${fault.code}: ${fault.message}`), 0];
  }
}
