// The result of `cadre test` as it is kept: a head that a list shows, and what came of each case with each model. Plain
// data; the command line, the server and the page read the same.

import type { RunId } from '../../journal/event.ts';
import type { OutcomeKind } from '../../kernel/fault.ts';
import type { Totals } from '../costs/totals.ts';

export interface CaseFailure {
  /** One sentence. */
  readonly what: string;
  readonly expected?: string;
  readonly received?: string;
  /** The difference of both, line by line: `-` was expected, `+` was received. */
  readonly diff?: string;
}

/** `team`: the agents as they are. `alone`: one agent in their place. */
export type CandidateKind = 'team' | 'alone';

/** The result of one case with one model, at one time. */
export interface RecordedCase {
  /** Unique in its file. */
  readonly name: string;
  /** The path as it is shown: relative to the folder where the command was given. */
  readonly file: string;
  readonly line: number;
  readonly agent: string;
  /** Absolute: the folder of its agents. */
  readonly folder: string;
  /** The model that all agents used, where one was chosen for all. */
  readonly model?: string;
  /** The side that answered, where a team is compared with one agent. */
  readonly kind?: CandidateKind;
  /** The number of this time, from 1 on, where it was run several times. */
  readonly time?: number;
  /** Its expectations about who was called, which do not count for one agent. */
  readonly setAside?: number;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** The reason why it was skipped. */
  readonly why?: string;
  readonly failures: readonly CaseFailure[];
  readonly outcome?: OutcomeKind;
  /** The text of the answer, or of the partial output. */
  readonly answer?: string;
  /** The names of the agents that were asked and of the tools that were called, in order. */
  readonly asked: readonly string[];
  readonly called: readonly string[];
  /** The time of its runs, and their usage: those of its judge are apart. */
  readonly ms?: number;
  readonly spent?: Totals;
  readonly verdicts?: readonly { readonly run: RunId; readonly good: boolean; readonly why: string }[];
  readonly judges?: Totals;
  /** Its runs in order: one, or those of a conversation. */
  readonly runs: readonly RunId[];
  /** Its runs, and those of its judge, are in the store. */
  readonly kept: boolean;
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface TestHead {
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** It was interrupted: cases that had not begun were skipped. */
  readonly stopped?: true;
  /** The command, and the folder that it was given in. */
  readonly command: string;
  readonly from: string;
  /** Those that were chosen for all agents. Empty: each agent had its own. */
  readonly models: readonly string[];
  /** Those that are compared, where there are several. */
  readonly candidates?: readonly { readonly kind: CandidateKind; readonly model?: string }[];
  /** The number of times that each case was run with each. Absent: once. */
  readonly times?: number;
  /** Cases, each counted once with every model. */
  readonly planned: number;
  readonly counts: TestCounts;
  readonly spent: Totals;
  readonly judges: Totals;
  /** The agents that were asked or judged, each with the folder that it is in. */
  readonly agents: readonly { readonly folder: string; readonly agent: string }[];
  /** Names of cases that failed, the first few. */
  readonly failed: readonly string[];
}

export interface TestRecord {
  readonly head: TestHead;
  readonly cases: readonly RecordedCase[];
}

/** `broken-off`: its process has not written for a while, and never said that it ended. */
export type TestState = 'running' | 'broken-off' | 'ended';

/** A process writes its record at least this often. */
export const TEST_BEAT_MS = 5000;

export function testState({ endedAt }: TestHead, putAt: number, now: number): TestState {
  if (endedAt !== undefined) return 'ended';
  return now - putAt > 4 * TEST_BEAT_MS ? 'broken-off' : 'running';
}

export const headText = (head: TestHead): string => JSON.stringify(head);
export const casesText = (cases: readonly RecordedCase[]): string =>
  cases.map((one) => `${JSON.stringify(one)}\n`).join('');

export const readHead = (text: string): TestHead => JSON.parse(text) as TestHead;
export const readCases = (text: string): readonly RecordedCase[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedCase);
