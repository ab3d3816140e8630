// A test of an agent: its input, the stand-in for its models, and the expectations. Plain data, read from *.test.yaml
// files or made from a run.

import type { OutcomeKind } from '../kernel/fault.ts';
import type { JsonSchema } from '../kernel/schema.ts';

/** The stand-in for the agents' models. `own`: the models of the files. */
export type CaseModel =
  | { readonly kind: 'own' }
  | { readonly kind: 'script'; readonly file: string }
  | { readonly kind: 'recording'; readonly file: string; readonly match: 'exact' | 'place' };

export interface AnswerExpectation {
  readonly equals?: unknown;
  readonly contains?: readonly string[];
  readonly excludes?: readonly string[];
  readonly matches?: readonly string[];
  /** JSON paths, as `$.order.total`, and the value that stands there. */
  readonly json?: Readonly<Record<string, unknown>>;
  readonly schema?: JsonSchema;
  /** It equals the answer that was kept by `--update`. */
  readonly snapshot?: boolean;
}

export interface JudgeExpectation {
  readonly agent: string;
  readonly rubric: string;
  /** The number of times that the judge is asked. */
  readonly repeat: number;
  /** The share of its verdicts that must be good. */
  readonly atLeast: number;
}

/** One agent that was asked, or one tool that was called, in the order of the run. */
export interface CallExpectation {
  readonly name: string;
  /** A part of the input's text, or keys and values that the arguments hold. */
  readonly with?: unknown;
}

/** One case, or those of several branches in their order. */
type CasesExpectation = string | readonly string[];

/** A number: so many items, each with an answer. */
export type ExpectedItems = number | { readonly count?: number | undefined; readonly answered?: number | undefined };

export interface Expectation {
  readonly outcome: OutcomeKind;
  readonly fault?: string;
  readonly answer?: AnswerExpectation;
  readonly judge?: JudgeExpectation;
  readonly agents?: readonly CallExpectation[];
  readonly tools?: readonly CallExpectation[];
  /** The answers that the one loop of the run had judged, or each loop of these agents. */
  readonly rounds?: number | Readonly<Record<string, number>>;
  /** The cases that the one chain with branches took, or each chain of these agents. */
  readonly case?: CasesExpectation | Readonly<Record<string, CasesExpectation>>;
  /** The items of the one map of the run, or of the maps of these agents. A number: so many, each with an answer. */
  readonly items?: number | Readonly<Record<string, ExpectedItems>>;
  readonly without?: { readonly agents?: readonly string[]; readonly tools?: readonly string[] };
  readonly atMost?: {
    readonly calls?: number;
    readonly tokens?: number;
    readonly usd?: number;
    readonly timeMs?: number;
  };
  readonly replay?: 'identical';
}

export interface TestCase {
  /** Unique in its file. */
  readonly name: string;
  /** The path as it is shown: relative to the folder where the command was given. */
  readonly file: string;
  readonly line: number;
  readonly agent: string;
  /** One input, or those of a conversation. What must hold is looked at after the last. */
  readonly inputs: readonly unknown[];
  /** Absolute paths of the files that go with the first input. */
  readonly files?: readonly string[];
  readonly model: CaseModel;
  /** The calls that are allowed where a person would be asked. */
  readonly approve: 'none' | 'all' | readonly string[];
  readonly timeoutMs: number;
  readonly expect: Expectation;
}
