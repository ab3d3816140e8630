// A branch as it is written, with agents as names.

import type { HopTarget } from '../hop.ts';

/** Null: no stage runs, and the answer stands. */
export type CaseEnd = HopTarget | null;

export interface BranchStep {
  readonly kind: 'branch';
  /** The property of the answer that decides. */
  readonly by: string;
  /** In the order of the file. */
  readonly cases: readonly { readonly value: string; readonly end: CaseEnd }[];
  /** The end of every value without a case. */
  readonly otherwise?: CaseEnd;
  readonly pass: BranchPass;
}

/** The part of the answer that is handed on. */
export type BranchPass = 'answer' | 'request+answer' | { readonly field: string };
