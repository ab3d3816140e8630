// One hand-over from an agent to the next: the contract of the upstream, the input of the downstream, and the run.
// HOP-1. Before: the upstream must answer in the form that the downstream takes, or in its own form if the downstream
//        takes any. After: the answer is checked again.
// HOP-2. A failed upstream is never handed on as if it were an answer.

import { jsonValue } from '../base/text/json.ts';
import { type AgentName, answerTo, type Routine, type RunInput, type Trigger } from '../kernel/effect.ts';
import { fault } from '../kernel/fault.ts';
import { type AnsweredOutcome, brokenOutcome, isBroken } from '../kernel/outcome.ts';
import {
  type InputContract,
  type JsonSchema,
  listViolations,
  type OutputContract,
  type Violation,
} from '../kernel/schema.ts';
import type { ShownAnswer, StepEnd, StepRun } from './chain-step.ts';
import { type PatternContext, toolName } from './pattern.ts';
import { closeSession, outcomeOf } from './run-agent.ts';
import { answerFrom, carriedFiles, composeRequest, originOf, shownFiles } from './sections.ts';

/** The agent that runs, and the one that runs if it does not answer. */
export interface HopTarget {
  readonly to: AgentName;
  readonly else?: AgentName;
}

export function* runHop(
  { to, else: instead }: HopTarget,
  at: StepRun,
  answer: AnsweredOutcome,
  part: Pick<Trigger, 'case'> = {},
): Routine<StepEnd> {
  yield* closeSession(answer);
  const end = yield* runAgent(to, at, answer, part);
  const { kind } = end.outcome;
  const gaveUp = isBroken(end.outcome) && kind !== 'cancelled' && kind !== 'over-budget';
  return gaveUp && instead !== undefined ? yield* runAgent(instead, at, answer, { ...part, insteadOf: to }) : end;
}

function* runAgent(
  agent: AgentName,
  at: StepRun,
  answer: AnsweredOutcome,
  part: Pick<Trigger, 'case'> & Pick<Trigger, 'insteadOf'>,
): Routine<StepEnd> {
  const { input, index, isLast, upstream, trigger: kind } = at;
  const payload = payloadFor(agent, at, answer);
  if ('fault' in payload)
    return { by: upstream, stands: true, outcome: { ...brokenOutcome(payload.fault), agent: upstream } };
  const chainStageIndex = (input.trigger.chainStageIndex ?? -1) + 1 + index;
  const trigger: Trigger = { kind, chainTrigger: kind, chainParent: toolName(upstream), chainStageIndex, ...part };
  const settled = answerTo<'run'>(
    yield {
      kind: 'run',
      agent,
      input: payload,
      trigger,
      contract: at.contractOf(agent),
      keep: at.mayEnd ? input.keep : undefined,
      seat: isLast ? input.seat : undefined,
    },
  );
  return { by: agent, outcome: outcomeOf(settled) };
}

/**
 * The contract for an upstream, so that this agent can take its answer; undefined leaves it to the upstream's file
 * (HOP-1).
 */
export function contractFor(downstream: AgentName, context: PatternContext): OutputContract | undefined {
  const { input } = context.card(downstream);
  const { format, schema } = input;
  if (format === 'any') return undefined;
  const contract =
    contracts.get(input) ?? (schema === undefined ? { format } : { format, schema: withoutReason(schema) });
  contracts.set(input, contract);
  return contract;
}

const contracts = new WeakMap<InputContract, OutputContract>();

export const reasonFrom = (upstream: AgentName): string => `Chained execution from ${toolName(upstream)}`;

function payloadFor(
  downstream: AgentName,
  { context, input, pass, upstream, shown }: StepRun,
  answer: AnsweredOutcome,
): RunInput | { readonly fault: ReturnType<typeof fault> } {
  const { input: takes } = context.card(downstream);
  const reason = reasonFrom(upstream);
  const origin = originOf(input.request);
  if (takes.format !== 'json') {
    if (pass === 'answer' && shown === undefined)
      return { text: answer.text, reason, origin, ...carriedFiles(input.request) };
    const told =
      shown === undefined ? composeRequest(origin, [answerFrom(upstream, answer.text)]) : shownTo(origin, shown);
    return { ...told, reason, origin, ...shownFiles(input.request) };
  }
  const value = dataOf(answer);
  if (value === undefined)
    return { fault: payloadFault(upstream, downstream, [{ path: '$', message: 'is not JSON' }]) };
  const data = declaresReason(takes.schema) ? { ...(value as object), reason } : value;
  const violations = context.check(takes.schema ?? true, data);
  if (violations.length > 0) return { fault: payloadFault(upstream, downstream, violations) };
  return { text: JSON.stringify(data), data, reason, origin, ...carriedFiles(input.request) };
}

const shownTo = (origin: string, { sections, handles, shares }: ShownAnswer): RunInput => ({
  ...composeRequest(origin, sections),
  ...(handles.length > 0 && { handles, shares }),
});

/** The answer as a value. Undefined for one that is no JSON. */
export const dataOf = ({ data, text }: AnsweredOutcome): unknown => (data === undefined ? jsonValue(text) : data);

/** `downstream` is an agent, or the words for a step. */
export function payloadFault(upstream: AgentName, downstream: string, violations: readonly Violation[]) {
  const text = `${upstream} did not give ${downstream} an input that it takes:\n${listViolations(violations)}`;
  return { ...fault('invalid_chain_payload', text, { downstream, violations }), stage: upstream };
}

const declaresReason = (schema: JsonSchema | undefined): boolean =>
  typeof schema === 'object' && Object.hasOwn((schema['properties'] as object | undefined) ?? {}, 'reason');

/** The chain itself gives the reason, so the upstream is not asked for one. */
export function withoutReason(schema: JsonSchema): JsonSchema {
  if (typeof schema !== 'object' || !declaresReason(schema)) return schema;
  const { reason: _, ...properties } = schema['properties'] as Record<string, unknown>;
  const required = schema['required'];
  return {
    ...schema,
    properties,
    ...(Array.isArray(required) && { required: required.filter((name) => name !== 'reason') }),
  };
}
