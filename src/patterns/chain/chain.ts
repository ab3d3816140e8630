// `next` and `handoff`: once an agent has answered, the steps that follow always run, each on the answer before.
// CHAIN-1. A failed upstream stops the chain.
// CHAIN-2. The caller's contract, its wish to ask again and a seat in a team go to the agent that may give the last
//          answer.

import type { AgentName, Routine } from '../../kernel/effect.ts';
import { brokenOutcome, isAnswered, isBroken, type Outcome } from '../../kernel/outcome.ts';
import type { OutputContract, Violation } from '../../kernel/schema.ts';
import type { SessionInput, SessionRoutine } from '../../kernel/session/session-spec.ts';
import type { StepEnd, StepRun } from '../chain-step.ts';
import { payloadFault } from '../hop.ts';
import { type PatternContext, toolName, type Wrap } from '../pattern.ts';
import type { ChainConfig } from './key.ts';
import { stepKind } from './steps.ts';

export const chain =
  (config: ChainConfig, context: PatternContext): Wrap =>
  (inner) =>
  (input) =>
    follow({ config, context, input }, inner);

/** One run of a chain. */
interface Chain {
  readonly config: ChainConfig;
  readonly context: PatternContext;
  readonly input: SessionInput;
}

/** Runs the agent itself, then each step in turn. */
function* follow(chained: Chain, inner: SessionRoutine): Routine<Outcome> {
  const { config, context } = chained;
  let outcome = yield* inner(forItself(chained));
  let upstream = context.agent;
  let passed = through(upstream, outcome);
  let cases: readonly string[] = [];
  let shown: StepEnd['shown'];
  for (const [index, step] of config.steps.entries()) {
    if (!isAnswered(outcome)) return refusedPayload(outcome, stepKind(step).says(step));
    if (context.stopAfter === upstream) return { ...outcome, stoppedAfter: upstream, chainedStages: passed };
    if (outcome.stoppedAfter !== undefined) return outcome;
    const ended = yield* stepKind(step).run(step, stepRun(chained, { index, upstream, shown }), outcome);
    shown = ended.shown;
    if (ended.case !== undefined) cases = [...cases, ended.case];
    const taken = cases.length > 0 && { cases };
    if (ended.stands) {
      if (!isAnswered(ended.outcome)) return { ...ended.outcome, ...taken };
    } else {
      passed = passed.concat(through(ended.by, ended.outcome));
      upstream = ended.by;
    }
    outcome = { ...ended.outcome, chainedStages: passed, ...taken };
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

/** The input with what the first step takes, and without what is for the last one (CHAIN-2). */
function forItself(chained: Chain): SessionInput {
  const { config, context, input } = chained;
  if (config.steps.length === 0) return input;
  return {
    ...input,
    contract: contractAt(chained, 0, context.output),
    keep: mayEndBefore(config, 0) ? input.keep : undefined,
    seat: undefined,
  };
}

function stepRun(chained: Chain, at: Pick<StepRun, 'index' | 'upstream' | 'shown'>): StepRun {
  const { config, context, input } = chained;
  const { index, upstream, shown } = at;
  const { trigger, pass, steps } = config;
  return {
    context,
    input,
    trigger,
    pass,
    index,
    upstream,
    isLast: index === steps.length - 1,
    mayEnd: mayEndBefore(config, index + 1),
    shown,
    contractOf: (agent) => contractAt(chained, index + 1, context.card(agent).output),
  };
}

/** True if the answer that the step at `index` gets may be the last one. */
const mayEndBefore = ({ steps }: ChainConfig, index: number): boolean =>
  steps.slice(index).every((step) => stepKind(step).mayStand(step));

/** The contract of the run whose answer the step at `index` gets; `own` is what the agent's file says. */
function contractAt(chained: Chain, index: number, own: OutputContract): OutputContract | undefined {
  const { config, context, input } = chained;
  const step = config.steps[index];
  if (step === undefined) return input.contract;
  return stepKind(step).contract(step, own, context, () => contractAt(chained, index + 1, own));
}

/** An upstream that spent its turns on answers of the wrong form failed at the hand-over. The fault says so (CHAIN-1). */
function refusedPayload(outcome: Outcome, downstream: string): Outcome {
  if (!isBroken(outcome) || outcome.kind !== 'exhausted') return outcome;
  const violations = outcome.fault.details?.['violations'] as readonly Violation[] | undefined;
  if (violations === undefined) return outcome;
  const upstream = outcome.agent ?? outcome.fault.stage ?? '';
  const wrong = brokenOutcome(payloadFault(upstream, downstream, violations), outcome.partial);
  return { ...wrong, agent: upstream };
}
