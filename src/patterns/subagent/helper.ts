// The routine of a helper: reads its file hints, runs one session with a fresh context, and makes its output.
// H1. Time comes from clock effects and files from tool effects, so a replay of the routine gives the same result.

import { type Effect, parallel, perform, type Routine } from '../../kernel/effect.ts';
import type { Fault } from '../../kernel/fault.ts';
import { errorResult, type ToolSpec } from '../../kernel/message.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import type { OpPath } from '../../kernel/path.ts';
import { listViolations, type Violation } from '../../kernel/schema.ts';
import { openConversation } from '../../kernel/session/conversation.ts';
import { session } from '../../kernel/session/session.ts';
import type { Services, SessionSpec } from '../../kernel/session/session-spec.ts';
import { plainTool, refusedByPerson } from '../../kernel/session/session-tool.ts';
import { helperName, type SubagentResult } from '../../kernel/subagent.ts';
import type { Report } from './cap.ts';
import { contextOf, type Hint, systemPrompt } from './context.ts';
import { brokenBy, type Ending, ERROR_CODES, lateMessage, resultOf, type SubagentErrorCode } from './output.ts';
import { reportExit } from './report.ts';
import { subagentTool } from './tool.ts';

type SubagentEffect = Extract<Effect, { kind: 'subagent' }>;

/** What a helper gets from its parent: its models and how they are asked. */
export type ParentSpec = Omit<SessionSpec, 'agent' | 'system' | 'output' | 'maxTurns'>;

interface HelperParts {
  readonly parent: ParentSpec;
  /** The read-only file tools. */
  readonly tools: readonly ToolSpec[];
  /** The names of the tools that need a person's approval, as they do for the parent. */
  readonly approve: readonly string[];
  readonly services: Services;
}

export function* helper(effect: SubagentEffect, self: OpPath, parts: HelperParts): Routine<SubagentResult> {
  const { request, limits, depth } = effect;
  const { check } = parts.services;
  const agent = helperName(effect.agent);
  const startedAt = yield* now();
  const hints = yield* parallel(request.files.map((path, index) => () => readHint(agent, path, index, parts)));
  const brief: SessionSpec = {
    ...parts.parent,
    agent,
    system: systemPrompt(limits, request),
    output: { format: 'markdown' },
    maxTurns: request.maxIterations,
  };
  const tools = [
    ...parts.tools.map((spec) => plainTool(agent, spec, parts.approve.includes(spec.name) ? 'arguments' : 'never')),
    subagentTool({ agent: effect.agent, depth, limits, enabled: true, check }),
  ];
  const outcome = yield* session(
    brief,
    tools,
    parts.services,
  )({
    self,
    request: { text: contextOf(request, hints, limits) },
    conversation: openConversation(),
    trigger: { kind: 'subagent' },
    exits: [reportExit(agent, limits.artifactKinds, check)],
  });
  const endedAt = yield* now();
  return resultOf(endingOf(outcome, effect), limits, { startedAt, endedAt }, self);
}

function* now(): Routine<number> {
  const settled = yield* perform<'clock'>({ kind: 'clock' });
  return settled.ok ? settled.value : 0;
}

/** A hint is a call of the tool that reads files. It needs approval if that tool does. */
function* readHint(agent: string, path: string, index: number, { approve }: HelperParts): Routine<Hint> {
  const call = { id: `hint-${index + 1}`, name: 'read_file', arguments: { path } };
  const refused = approve.includes(call.name) ? yield* refusedByPerson(agent, call) : undefined;
  if (refused !== undefined) return { path, result: refused };
  const settled = yield* perform<'tool'>({ kind: 'tool', agent, call });
  return { path, result: settled.ok ? settled.value : errorResult(settled.fault.message) };
}

function endingOf(outcome: Outcome, { request }: SubagentEffect): Ending {
  if (outcome.kind === 'answered') return { kind: 'reported', report: outcome.data as Report };
  if (!isBroken(outcome)) throw new Error(`a helper has no exit that ends in ${outcome.kind}`);
  const { fault, partial } = outcome;
  const violations = fault.details?.['violations'] as readonly Violation[] | undefined;
  switch (outcome.kind) {
    case 'timed-out':
      return brokenBy('timeout', lateMessage(request.timeoutSeconds), partial);
    case 'exhausted':
      return violations === undefined
        ? brokenBy(
            'iterations_exhausted',
            `The sub-agent spent its ${request.maxIterations} turns unfinished.`,
            partial,
          )
        : brokenBy('validation', malformed(violations), partial);
    case 'over-budget':
      return brokenBy('over_budget', fault.message, partial);
    case 'cancelled':
      return brokenBy('cancelled', fault.message, partial);
    case 'failed':
      if (fault.code === 'subagent/process') return brokenBy(processError(fault), fault.message, partial);
      return brokenBy('failed', `${fault.code}: ${fault.message}`, partial);
  }
}

/** A process of its own that failed says as what. */
const processError = ({ details }: Fault): SubagentErrorCode =>
  ERROR_CODES.find((code) => code === details?.['error']) ?? 'failed';

export const malformed = (violations: readonly Violation[]): string =>
  `What the sub-agent handed back does not satisfy the contract:\n${listViolations(violations)}`;
