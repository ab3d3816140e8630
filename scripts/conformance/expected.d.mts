export interface SuiteCase {
  readonly name: string;
  /** Undefined for a case that passed. */
  readonly failure: string | undefined;
}

export interface SuiteResult {
  readonly suite: string;
  readonly cases: number;
  readonly passed: number;
  readonly expected: readonly { readonly why: string; readonly cases: number }[];
  /** Failures that are not expected, and expected failures that did not come. */
  readonly wrong: readonly string[];
}

export function judged(suite: string, cases: readonly SuiteCase[]): SuiteResult;
