// The routine of a helper: reads its file hints, runs one session with a fresh context, and ends with the record of what it
// hands back.
// HELPER-1. Time comes from clock effects and files from tool effects, so a replay of the routine gives the same
//           result.

import { type AgentName, type OfferedTools, parallel, perform, type Routine } from '../../kernel/effect.ts';
import type { Fault } from '../../kernel/fault.ts';
import { errorResult } from '../../kernel/message.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import { listViolations, type Violation } from '../../kernel/schema.ts';
import { session } from '../../kernel/session/session.ts';
import type { Services, SessionInput, SessionSpec } from '../../kernel/session/session-spec.ts';
import { callPreviewed, plainTools, refusedByPerson } from '../../kernel/session/session-tool.ts';
import {
  helperName,
  SUBAGENT_ERRORS,
  type SubagentErrorCode,
  type SubagentLimits,
  type SubagentRequest,
} from '../../kernel/subagent.ts';
import { now } from '../run-agent.ts';
import type { Report } from './cap.ts';
import { contextOf, type Hint, systemPrompt } from './context.ts';
import { brokenBy, type Ending, lateMessage, outputOf, withRecord } from './output.ts';
import { reportExit } from './report.ts';
import { requestIn } from './request.ts';
import { subagentTool } from './tool.ts';

/** The part of its parent that a helper gets: its models and their settings. */
export type ParentSpec = Omit<SessionSpec, 'agent' | 'system' | 'output' | 'maxTurns'>;

export interface HelperParts {
  /** The agent in whose file the limits stand. */
  readonly owner: AgentName;
  readonly limits: SubagentLimits;
  readonly parent: ParentSpec;
  /** The read-only file tools, under the rules of the parent. */
  readonly offered: OfferedTools;
  readonly services: Services;
}

export function* helper(input: SessionInput, parts: HelperParts): Routine<Outcome> {
  const { owner, limits, services } = parts;
  const request = requestIn(input.request);
  const agent = helperName(owner);
  const startedAt = yield* now();
  const hints = yield* parallel(request.files.map((path, index) => () => readHint(agent, path, index, parts)));
  const brief: SessionSpec = {
    ...parts.parent,
    agent,
    system: systemPrompt(limits, request),
    output: { format: 'markdown' },
    maxTurns: request.maxIterations,
  };
  const { check } = services;
  const { depth = 1 } = input.trigger;
  const tools = [
    ...plainTools(agent, parts.offered),
    subagentTool({ agent: owner, depth, limits, enabled: true, check }),
  ];
  const outcome = yield* session(
    brief,
    tools,
    services,
  )({
    ...input,
    request: { text: contextOf(request, hints, limits) },
    exits: [reportExit(agent, limits.artifactKinds, check)],
  });
  const endedAt = yield* now();
  return withRecord(outcome, outputOf(endingOf(outcome, request), limits, endedAt - startedAt), startedAt, input.self);
}

/** A hint is a call of the tool that reads files. It needs approval if that tool does. */
function* readHint(agent: string, path: string, index: number, { offered }: HelperParts): Routine<Hint> {
  const { tools, approve, previews = [] } = offered;
  const call = { id: `hint-${index + 1}`, name: 'read_file', arguments: { path } };
  if (!tools.some(({ name }) => name === call.name)) return { path, result: errorResult(UNREAD) };
  if (previews.includes(call.name)) return { path, result: yield* callPreviewed(agent, call) };
  const refused = approve.includes(call.name) ? yield* refusedByPerson(agent, call) : undefined;
  if (refused !== undefined) return { path, result: refused };
  const settled = yield* perform<'tool'>({ kind: 'tool', agent, call });
  return { path, result: settled.ok ? settled.value : errorResult(settled.fault.message) };
}

const UNREAD = 'Not read: a rule of the agent denies reading files.';

function endingOf(outcome: Outcome, request: SubagentRequest): Ending {
  if (outcome.kind === 'answered') return { kind: 'reported', report: outcome.data as Report };
  if (!isBroken(outcome)) throw new Error(`a helper has no exit that ends in ${outcome.kind}`);
  const { fault, partial } = outcome;
  const violations = fault.details?.['violations'] as readonly Violation[] | undefined;
  switch (outcome.kind) {
    case 'timed-out':
      return brokenBy('timeout', lateMessage(request.timeoutSeconds), partial);
    case 'exhausted':
      if (fault.code === 'turns/no-progress') return brokenBy('iterations_exhausted', fault.message, partial);
      return violations === undefined
        ? brokenBy(
            'iterations_exhausted',
            `The sub-agent spent its ${request.maxIterations} turns unfinished.`,
            partial,
          )
        : brokenBy('validation', malformedReport(violations), partial);
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
  SUBAGENT_ERRORS.find((code) => code === details?.['error']) ?? 'failed';

export const malformedReport = (violations: readonly Violation[]): string =>
  `What the sub-agent handed back does not satisfy the contract:\n${listViolations(violations)}`;
