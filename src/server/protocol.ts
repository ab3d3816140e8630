// The messages of the server and its clients, as types: the one list for its routes, the page and other clients.
// Messages are declared in messages/, and the lines of streams here. A program that uses the types loads none of it.

import type { Diagnostic } from '../definition/diagnostic.ts';
import type { RunEvent, RunId } from '../journal/event.ts';
import type { IndexProgress, RunSummary } from '../journal/store.ts';
import type { FaultCode } from '../kernel/fault.ts';
import type { OpPath } from '../kernel/path.ts';
import type { TestState } from '../views/tests/test-record.ts';
import type { LiveEvent } from '../world/live-event.ts';
import type { RunRow } from './messages/runs.ts';

export type { Permission } from '../definition/definition.ts';
export type { Graph } from '../definition/show/graph.ts';
export type { Outcome } from '../kernel/outcome.ts';
export type { Price } from '../kernel/provider-settings.ts';
export type { Violation } from '../kernel/schema.ts';
export type { ForkPreview } from '../views/fork-preview.ts';
export type { RunDiff } from '../views/report/diff.ts';
export type { RunReport } from '../views/report/run-report.ts';
export type {
  ApprovalInfo,
  ApprovalList,
  DecidedInfo,
  GivenVerdict,
  UntakenInfo,
} from './messages/approvals.ts';
export type {
  AgentDetail,
  AgentInfo,
  BoundInfo,
  CadreInfo,
  CadrePlace,
  CallerInfo,
  InputCheck,
  ModelInfo,
  ShownDiagnostic,
  ShownSetting,
} from './messages/cadre.ts';
export type {
  ChangeList,
  ForkedRun,
  ForkRun,
  PromptShown,
  ReplayResult,
  RunAgents,
  SavedTestFile,
  SaveTest,
  UndoneRun,
} from './messages/history.ts';
export type {
  AttachedFile,
  ControlAccepted,
  EndRun,
  FilterList,
  ResumeRun,
  RunList,
  RunRow,
  SaveFilter,
  SendToRun,
  SpentList,
  StartedRun,
  StartRun,
  ThreadInfo,
  ThreadList,
  ThreadMessage,
  ThreadRow,
} from './messages/runs.ts';
export type { ProblemDocument } from './messages/service.ts';
export type { StartedTests, StartTests, TestBound, TestInfo, TestList, TestRow } from './messages/tests.ts';
export type { Diagnostic, LiveEvent, RunEvent, RunSummary };

/** The data of `event: journal` on `GET /api/runs/:run/events`. */
export interface JournalLine {
  readonly event: RunEvent;
  /** Texts over 4,000 characters are cut there. Each as a JSON pointer into `event`, and its length in UTF-8. */
  readonly cut?: readonly (readonly [pointer: string, bytes: number])[];
  /** The digest of a question to a person: a verdict names it. */
  readonly digest?: string;
}

/** The data of `event: state`: at the beginning, and whenever it changes. */
/** `outcome` and `endedAt` of a run that has ended: they are known before its journal has arrived. */
export interface RunStateLine extends Pick<RunSummary, 'worker' | 'queued' | 'outcome' | 'endedAt'> {
  readonly state: RunSummary['state'];
  readonly driver: RunRow['driver'];
  readonly queuedWhy?: string;
  readonly now: number;
}

/** The text that an op has written so far, in place of all its deltas: for a reader that comes in the middle. */
export type LiveSoFar = LiveEvent & { readonly whole: true };

/**
 * The events of `GET /api/runs/:run/events` (`text/event-stream`). `journal` has an id, its sequence number, from which
 * `Last-Event-ID` goes on; the others have none. `live` comes only for a run that the server works on. `state` repeats
 * as a heartbeat. After `run-end` the stream ends, and the same request again is answered with 204.
 */
export interface RunStreamEvents {
  readonly journal: JournalLine;
  readonly live: LiveEvent | LiveSoFar;
  readonly state: RunStateLine;
}

/** The events of `GET /api/stream`: what changes anywhere. None has an id: a client that reconnects asks again. */
export interface ServerStreamEvents {
  /** A run that is new or has changed. */
  readonly run: RunRow;
  /** A run that was removed. */
  readonly gone: { readonly run: RunId };
  readonly approval: { readonly change: 'came' | 'went'; readonly run: RunId; readonly path: OpPath };
  /** Files were saved: ask for `/api/cadre` again. */
  readonly agents: { readonly diagnostics: readonly Diagnostic[]; readonly now: number };
  /** A result of tests that is new or has changed: ask for it again. */
  readonly tests: { readonly id: string; readonly state: TestState };
  /** The progress of a list of runs that has to be counted from journals. It is whole when all are done. */
  readonly index: IndexProgress;
  /** Each 5 s. */
  readonly now: { readonly now: number };
  /** The last one: the token may see less from now on. */
  readonly refused: { readonly code: FaultCode; readonly detail: string };
}
