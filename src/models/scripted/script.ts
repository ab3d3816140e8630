// A script after reading: plain data. match.ts decides which step answers a request, play.ts plays it.

import type { Usage } from '../../kernel/usage.ts';

/** Written as a plain text (contained) or as /a regular expression/. */
export type TextPattern = string | RegExp;

/** All given conditions must hold. */
export interface Condition {
  /** The session's turn, from 1. */
  readonly turn?: number;
  /** Held by a message that arrived since the agent's previous reply. */
  readonly last?: TextPattern;
  /** Held by the first message of the session. */
  readonly input?: TextPattern;
  /** Held by a message of the conversation that the run continues. */
  readonly history?: TextPattern;
  /** A file of this type that the model is shown. */
  readonly file?: string;
  /** The call sums up what the session replaces to make room. */
  readonly compact?: true;
  /** A tool whose result arrived since the agent's previous reply. */
  readonly tool?: string;
}

export const FAULT_KINDS = [
  'rate-limit',
  'server',
  'reset',
  'hang',
  'stall',
  'cut-off',
  'malformed',
  'empty',
  'refused-key',
  'bad-request',
  'content-filter',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface ScriptedFault {
  readonly kind: FaultKind | 'status';
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly message?: string;
}

export interface ScriptedCall {
  readonly name: string;
  readonly arguments: unknown;
}

export interface ScriptedReply {
  readonly text: string;
  readonly reasoning?: string;
  readonly calls: readonly ScriptedCall[];
  /** True if text or arguments hold `{{…}}` or an escaped one. */
  readonly templated: boolean;
}

export interface ScriptStep {
  /** The agent it was written for; `*` for a step under `any`. */
  readonly agent: string;
  readonly file: string;
  readonly line: number;
  readonly when?: Condition;
  /** Each spends one attempt, in order. */
  readonly faults: readonly ScriptedFault[];
  /** Absent if the step has only faults. */
  readonly reply?: ScriptedReply;
  /** Turns that a reply answers, or attempts that a step with only faults spoils. */
  readonly repeat: number;
  readonly delayMs: number;
  readonly chunkMs: number;
  readonly usage?: Usage;
  readonly usd?: number;
}

export interface Script {
  readonly file: string;
  readonly agents: ReadonlyMap<string, readonly ScriptStep[]>;
  /** The steps for agents without steps of their own. */
  readonly any: readonly ScriptStep[];
}
