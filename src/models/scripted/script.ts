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

/** The keys of a step, each with its meaning. The reference prints these tables. */
export const STEP_KEYS = {
  when: 'the step answers whenever these conditions hold, before all steps without `when`',
  say: 'writes this text, usually beside a call',
  call: 'calls one tool: `{ read_file: { path: a.txt } }`, or just `now` for a tool without arguments',
  calls: 'calls several tools at the same time, as a list',
  answer: 'replies with this text and nothing else',
  report: 'calls `final_report`: with these arguments, or with a text as its `content`',
  reasoning: 'thinks aloud before it replies',
  fault: 'spoils one attempt for each fault of it, and then the reply of this step or the next step answers',
  repeat:
    'the number of turns that a step without `when` answers, or `true` for all that follow; of a step of faults, attempts',
  delay: 'the time before the reply, in place of that of `pace`',
  chunk: 'the time between its words, in place of that of `pace`',
  usage: 'the tokens and the cost that the reply reports. Without it: an estimate of four characters a token',
} as const;

/** Conditions under `when`. A text is found as it is; between slashes it is a regular expression. */
export const CONDITIONS = {
  turn: 'it is this turn of the session, counted from 1',
  input: "the session's first message holds the text",
  last: "a message that came since the agent's previous reply holds it",
  tool: "a result of that tool came since the agent's previous reply",
  history: 'a message of the conversation before this run holds it',
  file: 'the model is shown a file of this type, as in `image/png`',
  compact: '`true`: the call sums up what the session replaces to make room; no other step answers such a call',
} as const;

export const SCRIPTED_FAULTS = {
  'rate-limit': 'the server refuses the call, with status 429',
  server: 'the server refuses the call, with status 500',
  'refused-key': 'the server refuses the call, with status 401',
  'bad-request': 'the server refuses the call, with status 400',
  reset: 'the connection breaks',
  hang: 'nothing ever comes, until the time-out or an abort',
  stall: 'half of the reply comes, then nothing',
  'cut-off': 'half of the reply comes, then the stream ends',
  malformed: 'a tool call whose arguments are not JSON',
  empty: 'a reply with neither text nor call',
  'content-filter': "the provider's filter stops the reply",
} as const;

export type FaultKind = keyof typeof SCRIPTED_FAULTS;

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
