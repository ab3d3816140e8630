// `next` and `handoff`: once an agent has answered, its downstream stages always run, each on the answer before.
// CHAIN-1. Before: the upstream must answer in the form that the downstream takes, or in its own form if the downstream
//          takes any. After: the answer is checked again.
// CHAIN-2. A failed upstream stops the chain; it is never handed on as if it were an answer.
// CHAIN-3. The caller's contract, its wish to ask again and a seat in a team go to the last stage.

import { parseJson } from '../../base/text/json.ts';
import { type AgentName, answerTo, type Routine, type RunInput, type Trigger } from '../../kernel/effect.ts';
import { fault } from '../../kernel/fault.ts';
import { type AnsweredOutcome, brokenOutcome, isAnswered, isBroken, type Outcome } from '../../kernel/outcome.ts';
import {
  type InputContract,
  type JsonSchema,
  listViolations,
  type OutputContract,
  type Violation,
} from '../../kernel/schema.ts';
import type { SessionInput, SessionRoutine } from '../../kernel/session/session-spec.ts';
import { outcomeOf } from '../outcome-of.ts';
import { type PatternContext, toolName, type Wrap } from '../pattern.ts';
import { answerFrom, composeRequest, originOf } from '../sections.ts';
import type { ChainConfig, ChainStage } from './key.ts';

export const chain =
  (config: ChainConfig, context: PatternContext): Wrap =>
  (inner) =>
  (input) =>
    follow(config, context, inner, input);

/** Runs the agent itself, then each stage in turn. */
function* follow(
  config: ChainConfig,
  context: PatternContext,
  inner: SessionRoutine,
  input: SessionInput,
): Routine<Outcome> {
  const first = config.stages[0];
  let outcome = yield* inner(first === undefined ? input : forItself(input, contractFor(first.to, context)));
  let upstream = context.agent;
  let passed = through(upstream, outcome);
  for (const [index, stage] of config.stages.entries()) {
    if (!isAnswered(outcome)) return refusedPayload(outcome, stage.to);
    if (context.stopAfter === upstream) return { ...outcome, stoppedAfter: upstream, chainedStages: passed };
    if (outcome.stoppedAfter !== undefined) return outcome;
    const leg: Leg = { config, context, input, upstream, index, stage };
    const ended = yield* runStage(leg, outcome);
    if (ended.by === upstream) return ended.outcome;
    passed = passed.concat(through(ended.by, ended.outcome));
    outcome = { ...ended.outcome, chainedStages: passed };
    upstream = ended.by;
  }
  if (isAnswered(outcome) && context.stopAfter === upstream && outcome.stoppedAfter === undefined) {
    return { ...outcome, stoppedAfter: upstream };
  }
  return outcome;
}

/** The stages that a run of this agent went through, itself first: it may have a chain of its own. */
function through(agent: AgentName, { chainedStages }: Outcome): readonly string[] {
  const first = toolName(agent);
  if (chainedStages === undefined) return [first];
  return chainedStages[0] === first ? chainedStages : [first, ...chainedStages];
}

/** The input without what is for the last stage (CHAIN-3), and with what the first one takes. */
const forItself = (input: SessionInput, contract: OutputContract | undefined): SessionInput => ({
  ...input,
  contract,
  keep: undefined,
  seat: undefined,
});

/** One hop: from `upstream` to the stage at `index`. */
interface Leg {
  readonly config: ChainConfig;
  readonly context: PatternContext;
  readonly input: SessionInput;
  readonly upstream: AgentName;
  readonly index: number;
  readonly stage: ChainStage;
}

interface StageEnd {
  readonly by: AgentName;
  readonly outcome: Outcome;
}

function* runStage(leg: Leg, answer: AnsweredOutcome): Routine<StageEnd> {
  const { stage } = leg;
  const end = yield* runAgent(stage.to, leg, answer);
  const { kind } = end.outcome;
  const gaveUp = isBroken(end.outcome) && kind !== 'cancelled' && kind !== 'over-budget';
  return gaveUp && stage.else !== undefined ? yield* runAgent(stage.else, leg, answer, stage.to) : end;
}

function* runAgent(agent: AgentName, leg: Leg, answer: AnsweredOutcome, insteadOf?: AgentName): Routine<StageEnd> {
  const { config, context, input, index } = leg;
  const payload = payloadFor(agent, leg, answer);
  if ('fault' in payload)
    return { by: leg.upstream, outcome: { ...brokenOutcome(payload.fault), agent: leg.upstream } };
  const following = config.stages[index + 1];
  const contract = following === undefined ? input.contract : contractFor(following.to, context);
  const { trigger: kind } = config;
  const chainParent = toolName(leg.upstream);
  const chainStageIndex = (input.trigger.chainStageIndex ?? -1) + 1 + index;
  const trigger: Trigger =
    insteadOf === undefined
      ? { kind, chainTrigger: kind, chainParent, chainStageIndex }
      : { kind, chainTrigger: kind, chainParent, chainStageIndex, insteadOf };
  const settled = answerTo<'run'>(
    yield {
      kind: 'run',
      agent,
      input: payload,
      trigger,
      contract,
      keep: following === undefined ? input.keep : undefined,
      seat: following === undefined ? input.seat : undefined,
    },
  );
  return { by: agent, outcome: outcomeOf(settled) };
}

/**
 * The contract for an upstream, so that this agent can take its answer; undefined leaves it to the upstream's file
 * (CHAIN-1).
 */
function contractFor(downstream: AgentName, context: PatternContext): OutputContract | undefined {
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
  leg: Leg,
  answer: AnsweredOutcome,
): RunInput | { readonly fault: ReturnType<typeof fault> } {
  const { input: takes } = leg.context.card(downstream);
  const reason = reasonFrom(leg.upstream);
  const origin = originOf(leg.input.request);
  if (takes.format !== 'json') {
    if (leg.config.pass === 'answer') return { text: answer.text, reason, origin };
    return { ...composeRequest(origin, [answerFrom(leg.upstream, answer.text)]), reason, origin };
  }
  const parsed = parse(answer);
  if (parsed === undefined)
    return { fault: payloadFault(leg.upstream, downstream, [{ path: '$', message: 'is not JSON' }]) };
  const data = declaresReason(takes.schema) ? { ...(parsed.value as object), reason } : parsed.value;
  const violations = leg.context.check(takes.schema ?? true, data);
  if (violations.length > 0) return { fault: payloadFault(leg.upstream, downstream, violations) };
  return { text: JSON.stringify(data), data, reason, origin };
}

function parse(answer: AnsweredOutcome): { readonly value: unknown } | undefined {
  if (answer.data !== undefined) return { value: answer.data };
  try {
    return { value: parseJson(answer.text) };
  } catch {
    return undefined; // the caller reports it as a violation
  }
}

function payloadFault(upstream: AgentName, downstream: AgentName, violations: readonly Violation[]) {
  const text = `${upstream} did not give ${downstream} an input that it takes:\n${listViolations(violations)}`;
  return { ...fault('invalid_chain_payload', text, { downstream, violations }), stage: upstream };
}

/** An upstream that spent its turns on answers of the wrong form failed at the hand-over. The fault says so (CHAIN-2). */
function refusedPayload(outcome: Outcome, downstream: AgentName): Outcome {
  if (!isBroken(outcome) || outcome.kind !== 'exhausted') return outcome;
  const violations = outcome.fault.details?.['violations'] as readonly Violation[] | undefined;
  if (violations === undefined) return outcome;
  const upstream = outcome.agent ?? outcome.fault.stage ?? '';
  const wrong = brokenOutcome(payloadFault(upstream, downstream, violations), outcome.partial);
  return { ...wrong, agent: upstream };
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
