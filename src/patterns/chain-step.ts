// A step of a chain: something runs on the answer before it, or that answer stands. A kind of step is one record. The
// code of chains goes through the steps and knows no kind by name.

import type { AgentName, Routine, RunInput } from '../kernel/effect.ts';
import type { AnsweredOutcome, Outcome } from '../kernel/outcome.ts';
import type { JsonSchema, OutputContract } from '../kernel/schema.ts';
import type { SessionInput } from '../kernel/session/session-spec.ts';
import type { Cost, PatternBounds } from './bounds.ts';
import type { KeysForm } from './key-form.ts';
import type { PatternContext } from './pattern.ts';
import type { PatternEdge, PatternSeat, Review } from './record.ts';
import type { KeyPlace, ReviewedEdge } from './review.ts';

/** One run of a step. */
export interface StepRun {
  /** The context and the input of the agent that has the chain. */
  readonly context: PatternContext;
  readonly input: SessionInput;
  readonly trigger: 'next' | 'handoff';
  readonly pass: 'answer' | 'request+answer';
  /** The place of the step in its chain, from 0. */
  readonly index: number;
  readonly isLast: boolean;
  /** The agent that gave the answer that the step runs on. */
  readonly upstream: AgentName;
  /** The contract of an agent whose answer is the result of the step. */
  contractOf(agent: AgentName): OutputContract | undefined;
  /** True if the answer of an agent may be the last of the chain: its session stays open where the caller asked for that. */
  readonly mayEnd: boolean;
  /** The answer for an agent that takes no JSON, if that is not its text. */
  readonly shown?: ShownAnswer | undefined;
}

/** An answer as sections below the request. */
export interface ShownAnswer {
  readonly sections: readonly string[];
  /** Those of texts that stand there only in part, or may. */
  readonly handles: readonly string[];
  /** For each section, where its text can be read if it is shortened. */
  readonly shares: Required<RunInput>['shares'];
}

export interface StepEnd {
  /** The agent whose run ended the step. */
  readonly by: AgentName;
  /** No stage gave the result: `by` is the upstream. */
  readonly stands?: true;
  readonly outcome: Outcome;
  /** The case of a branch that was taken. */
  readonly case?: string;
  /** The result for the next step, if that is an agent that takes no JSON. */
  readonly shown?: ShownAnswer;
}

/** One step as the check sees it. */
export interface StepReview {
  /** The review of the agent that has the chain. */
  readonly review: Review;
  /** The step in its file: `['next', 'sequence', 1]`. */
  readonly path: KeyPlace['path'];
  readonly pass: StepRun['pass'];
  readonly isLast: boolean;
  /** The references of the step, in the order of its form. */
  readonly edges: readonly ReviewedEdge[];
  readonly upstreams: readonly StepUpstream[];
}

/** An answer that the step may get. */
export interface StepUpstream {
  /** The agent whose run gives it: the one that has the chain, or one that an earlier step names. */
  readonly agent: AgentName;
  /** The agents at the end of that run. */
  readonly answerers: readonly AgentName[];
  /** The schema that it satisfies, where an earlier step looked at it or made it. */
  readonly schema?: JsonSchema;
  /** A step made it, and no agent wrote it: nothing looks at it, but an agent can take it. */
  readonly isMade?: true;
}

export interface StepKind<Step extends { readonly kind: string }> {
  readonly kind: Step['kind'];
  /** The key that tells it from other kinds. None: every step without such a key is of this kind. */
  readonly sign?: string;
  readonly form: KeysForm;
  /** The step, with agents as names. `written` was read by the form. */
  stepOf(written: Readonly<Record<string, unknown>>): Step;
  /** The step, with what the answers that it may get say of it. Default: as it was written. */
  settled?(step: Step, answers: readonly (JsonSchema | undefined)[]): Step;
  /** In the order of the form. `label` is that of the step in the graph. */
  edges(step: Step, label: string, trigger: string): readonly PatternEdge[];
  /** A few words for the step, in messages: they follow "give". */
  says(step: Step): string;
  /** The agents whose answer may be the result. */
  answerers(step: Step): readonly AgentName[];
  /** The schema of the result, where the step makes it and no agent writes it. */
  made?(step: Step): JsonSchema | undefined;
  /** The answers that the next step may get. */
  results(step: Step, at: StepReview): readonly StepUpstream[];
  /** True if the answer before the step may be its result. */
  mayStand(step: Step): boolean;
  /** The schema of the answers before the step that are its result, of all that a schema allows. */
  standing?(step: Step, schema: JsonSchema): JsonSchema | undefined;
  /** The seat in a team, where the step ends a chain. */
  seat(step: Step): PatternSeat;
  bound(step: Step, bounds: PatternBounds, isLast: boolean): Cost;
  /**
   * The contract of the upstream's run, so that the step can work on its answer. `own` is what the upstream's file says;
   * `standing` is what the answer must satisfy where it stands.
   */
  contract(
    step: Step,
    own: OutputContract,
    context: PatternContext,
    standing: () => OutputContract | undefined,
  ): OutputContract | undefined;
  run(step: Step, at: StepRun, answer: AnsweredOutcome): Routine<StepEnd>;
  check(step: Step, at: StepReview): void;
}
