// What the server says and is told, as types: the one list for its routes, the page and other clients. Nothing here
// imports a module of Node, so that the page can use it. The JSON Schemas of the same things stand with the routes.

import type { Permission, Price } from '../agents/definition.ts';
import type { Diagnostic } from '../agents/diagnostic.ts';
import type { Graph } from '../agents/show/graph.ts';
import type { AgentSetting } from '../agents/show/setting.ts';
import type { RunEvent, RunId } from '../journal/event.ts';
import type { RunSummary } from '../journal/store.ts';
import type { AskedTool } from '../kernel/approval.ts';
import type { History, Verdict } from '../kernel/effect.ts';
import type { FaultCode } from '../kernel/fault.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { OpPath } from '../kernel/path.ts';
import type { InputContract, OutputContract, Violation } from '../kernel/schema.ts';
import type { DecidedApproval } from '../views/approvals.ts';
import type { RunDiff } from '../views/diff.ts';
import type { RunReport } from '../views/run-report.ts';
import type { RecordedCase, TestHead, TestState } from '../views/tests/test-record.ts';
import type { LiveEvent } from '../world/live-event.ts';

export type {
  Diagnostic,
  Graph,
  LiveEvent,
  Outcome,
  Permission,
  Price,
  RunDiff,
  RunEvent,
  RunReport,
  RunSummary,
  Violation,
};

/** An error of any request: RFC 9457, `application/problem+json`. */
export interface ProblemDocument {
  readonly type: 'about:blank';
  /** What the code means, in a few words. */
  readonly title: string;
  readonly status: number;
  /** What happened, and the way out. */
  readonly detail: string;
  readonly code: FaultCode;
  /** The request, as the server's log names it. */
  readonly instance: string;
  /** What is wrong with an input or a request, each with its place. */
  readonly violations?: readonly Violation[];
  /** For an approval that was decided already: what, and by whom, if that is known. */
  readonly approved?: boolean;
  readonly by?: string;
}

// --- The cadre -----------------------------------------------------------------------------------------------------

/** `GET /api/cadre`. Agents of several cadres have the cadre's prefix before their name: `help-desk/front-desk`. */
export interface CadreInfo {
  /** The release of the server. */
  readonly version: string;
  /** Its folder, by its last name. */
  readonly name: string;
  /** One, or all that lie below the folder. */
  readonly cadres: readonly CadrePlace[];
  readonly agents: readonly AgentInfo[];
  readonly graph: Graph;
  /** Findings about the files as they are now. Files have the prefix of their cadre. */
  readonly diagnostics: readonly ShownDiagnostic[];
  /** By agent: the most model calls, and what they can cost at most. */
  readonly bounds: Readonly<Record<string, BoundInfo>>;
  /** What each agent would use, and whether it is ready. */
  readonly models: readonly ModelInfo[];
  /** Who asks, and what they may do. */
  readonly you: CallerInfo;
  /** Milliseconds since 1970, by the clock of the server. */
  readonly now: number;
}

/** A finding with the line that it is about, carets below it. */
export interface ShownDiagnostic extends Diagnostic {
  readonly excerpt?: string;
}

export interface CadrePlace {
  /** Empty where there is only one. */
  readonly prefix: string;
  /** Absolute: what `folder` of a run names. */
  readonly folder: string;
  /** `ready`: as the files are. `outdated`: the files have errors, and new runs use the last version without. */
  readonly state: 'ready' | 'outdated' | 'invalid';
  /** When its files were last read. */
  readonly readAt: number;
}

export interface AgentInfo {
  /** With its prefix: what requests name it by. */
  readonly name: string;
  readonly prefix: string;
  readonly file: string;
  readonly description?: string;
  readonly usage?: string;
  readonly models: readonly string[];
  readonly patterns: readonly string[];
  readonly tools: readonly string[];
  readonly approve: readonly string[];
  readonly input: InputContract;
  readonly output: OutputContract;
  readonly chat: boolean;
  readonly maxTurns: number;
  /** Who may give the answer when it is run, where that is not the agent itself: the end of its chain, a destination. */
  readonly answerers?: readonly string[];
  /** What its team gives to those who sit in it, where that is not their own. */
  readonly team?: { readonly memberMaxTurns?: number; readonly supervisorMaxTurns?: number };
  /** `outdated`: its files have errors, and it runs as it was before. */
  readonly state?: 'ready' | 'outdated';
  /** Its own, as its file has them. */
  readonly budget?: { readonly usd?: number; readonly tokens?: number; readonly timeMs?: number };
  /** Inputs of the first two cases that its `*.test.yaml` files have. */
  readonly examples?: readonly unknown[];
}

/** `GET /api/agents/:name` */
export interface AgentDetail extends AgentInfo {
  /** The system prompt, and the whole file. */
  readonly system: string;
  readonly text: string;
  /** Every key with the value that holds, and where the value comes from, as `cadre help <agent>` prints it. */
  readonly template: string;
  /** The same as a list. */
  readonly settings: readonly ShownSetting[];
  readonly diagnostics: readonly ShownDiagnostic[];
  readonly bound: BoundInfo;
  /** The agents that it can lead to, itself included. */
  readonly reaches: readonly string[];
}

/** `value` is as a file would write it, on one line. Files have the prefix of their cadre. */
export interface ShownSetting extends Omit<AgentSetting, 'value'> {
  readonly value?: string;
}

export type BoundInfo =
  | {
      readonly kind: 'bounded';
      /** Larger than a number of JSON holds exactly: as a text. */
      readonly calls: number | string;
      readonly attempts: number | string;
      /** Null where a price or a window is unknown; then `why` says which. */
      readonly usd: number | null;
      readonly why?: string;
    }
  | { readonly kind: 'unbounded'; readonly reason: string; readonly usd: null; readonly why?: string };

export interface ModelInfo {
  readonly agent: string;
  readonly model: string;
  /** `provider/model` */
  readonly standsFor: string;
  readonly ready: boolean;
  readonly state: string;
  /** Its calls cost nothing, and why. */
  readonly free?: 'scripted' | 'recorded' | 'local';
}

export interface CallerInfo {
  /** The name of the token; `owner` for the server's own, `anyone` without tokens. */
  readonly name: string;
  readonly may: readonly Permission[];
  /** Absent: all agents. */
  readonly agents?: readonly string[];
}

/** `POST /api/agents/:name/input` with `{input}`: is it right, without starting anything? */
export interface InputCheck {
  readonly ok: boolean;
  /** In the words of the command line. Absent where it is right. */
  readonly message?: string;
  readonly violations: readonly Violation[];
}

// --- Runs ----------------------------------------------------------------------------------------------------------

/** A text file that a person attaches to a message. */
export interface AttachedFile {
  readonly name: string;
  readonly text: string;
}

/** `POST /api/runs`. The header `Idempotency-Key` gives the same run again; `?wait=30s` waits for the outcome. */
export interface StartRun {
  readonly agent: string;
  /** A text, or any JSON value for an agent that takes JSON. */
  readonly input: unknown;
  readonly files?: readonly AttachedFile[];
  /** The caller's contract: it binds the agent that answers. */
  readonly output?: OutputContract;
  readonly stopAfter?: string;
  readonly label?: string;
  /** The conversation that it continues: the server adds the history. `new` begins one. */
  readonly thread?: string;
  /** The run of the thread that it follows: with an earlier one it begins a branch, with null one from the beginning. */
  readonly continues?: RunId | null;
  /** The exchanges before it, for a client that keeps the conversation itself. */
  readonly history?: History;
}

export interface StartedRun {
  readonly run: RunId;
  readonly thread?: string;
  /** `waiting`: more runs are at work than `server.maxRuns` allows, and it begins when its turn comes. */
  readonly state: 'running' | 'waiting' | 'ended' | 'broken-off';
  /** With `?wait`, if it ended in time. */
  readonly outcome?: Outcome;
}

/** A row of the list. */
export interface RunRow extends RunSummary {
  /** The prefix of the cadre that it is of; null where its folder is not served here. */
  readonly prefix: string | null;
  /** Which process works on it. */
  readonly driver: 'this' | 'other' | 'none';
  /** What it does now, in words, while it runs here. */
  readonly now?: string;
  /** Why no worker has it, in words, while it waits for one. */
  readonly queuedWhy?: string;
}

/** `GET /api/runs?agent&state&outcome&label&thread&text&since&until&waiting&before&limit` */
export interface RunList {
  readonly items: readonly RunRow[];
  /** `before` of the next page; absent on the last one. */
  readonly next?: RunId;
}

/** `GET /api/runs/:run/summary` is a `RunRow`; `GET /api/runs/:run` a `RunReport`, as `cadre show --json` prints it. */

/** `GET /api/runs/:run/agents`: the definitions that the run was built from. */
export interface RunAgents {
  readonly agents: readonly (AgentInfo & { readonly system: string })[];
  /** By `provider/model`: dollars for a million tokens. Models whose price is not known are left out. */
  readonly prices: Readonly<Record<string, Price>>;
}

/** What `event: journal` holds on `GET /api/runs/:run/events`. */
export interface JournalLine {
  readonly event: RunEvent;
  /** Texts over 4,000 characters are cut there. Each as a JSON pointer into `event`, and its length in UTF-8. */
  readonly cut?: readonly (readonly [pointer: string, bytes: number])[];
  /** Of a question to a person: names what is asked, for the verdict on it. */
  readonly digest?: string;
}

/** What `event: state` holds: at the beginning, and whenever it changes. */
/** `outcome` and `endedAt` of a run that has ended: they are known before its journal has arrived. */
export interface RunStateLine extends Pick<RunSummary, 'worker' | 'queued' | 'outcome' | 'endedAt'> {
  readonly state: RunSummary['state'];
  readonly driver: RunRow['driver'];
  readonly queuedWhy?: string;
  readonly now: number;
}

/** What an op has written so far, in place of all its deltas: for a reader that comes in the middle. */
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
  /** Each 5 s. */
  readonly now: { readonly now: number };
  /** The last one: the token may see less from now on. */
  readonly refused: { readonly code: FaultCode; readonly detail: string };
}

/** `POST /api/runs/:run/stop` and `/cancel` */
export interface EndRun {
  readonly reason?: string;
}

/** `POST /api/runs/:run/messages` */
export interface SendToRun {
  readonly text: string;
  readonly files?: readonly AttachedFile[];
}

/** The answer to stop, cancel, messages and verdict. `waits`: a resume takes it first. */
export interface ControlAccepted {
  readonly accepted: 'taken' | 'waits';
}

/** `POST /api/runs/:run/resume` */
export interface ResumeRun {
  /** Even if another process holds it. */
  readonly takeOver?: boolean;
  /** Also use what only the recorded cadre.yaml has. */
  readonly pinnedConfig?: boolean;
}

/** `POST /api/runs/:run/fork` */
export interface ForkRun {
  readonly at: OpPath;
  readonly models?: readonly string[];
  /** With the texts that the run began with (the default), or as the files are today. */
  readonly agents?: 'pinned' | 'today';
}

export interface ForkedRun {
  readonly run: RunId;
  /** Events taken over. */
  readonly events: number;
}

/** `GET /api/runs/:run/fork?at=`: what a fork there would take over. */
export type { ForkPreview } from '../views/fork-preview.ts';

/** `POST /api/runs/:run/replay` with `{pinned?}` */
export interface ReplayResult {
  readonly kind: 'identical' | 'different';
  readonly events: number;
  /** Whether the record holds an end. */
  readonly ended: boolean;
  readonly difference?: {
    readonly path?: OpPath;
    readonly message: string;
    readonly recorded?: unknown;
    readonly now?: unknown;
  };
  /** Files that have changed since. */
  readonly changed: readonly string[];
  readonly texts: 'today' | 'pinned';
}

// --- Approvals, threads --------------------------------------------------------------------------------------------

export interface ApprovalInfo {
  readonly run: RunId;
  readonly agent: string;
  readonly state: RunSummary['state'];
  readonly path: OpPath;
  /** The agent that asks: the run's own, or one below it. */
  readonly asker: string;
  readonly prompt: string;
  /** The call that is asked about. */
  readonly about: unknown;
  /** When it began to wait. */
  readonly at: number;
  /** Names what is asked. The verdict gives it back as `seen`. */
  readonly digest: string;
  /** What is asked, to be shown to a person: every argument, and nothing that hides or turns text around. */
  readonly shown: string;
  /** Absent where the tool is not known here, such as one of a server that is not connected. */
  readonly tool?: AskedTool;
}

/** A call or question that was decided, and what came of it. */
export interface DecidedInfo extends DecidedApproval {
  readonly run: RunId;
  readonly agent: string;
  readonly state: RunSummary['state'];
  /** How the run ended. */
  readonly outcome?: RunSummary['outcome'];
}

/** Decided, in a run that no process works on: it takes the verdict first when it goes on. */
export interface UntakenInfo extends ApprovalInfo {
  readonly verdict: Verdict;
}

/** `GET /api/approvals`, oldest first; with `?decided=20` also the last that were decided, newest first. */
export interface ApprovalList {
  readonly waiting: readonly ApprovalInfo[];
  readonly untaken: readonly UntakenInfo[];
  readonly decided?: readonly DecidedInfo[];
}

/** `POST /api/runs/:run/ops/:path/verdict` */
export interface GivenVerdict {
  readonly approved: boolean;
  /** Why. The agent reads it if the answer is no. */
  readonly note?: string;
  /** A yes that also holds for the same question later in this run. */
  readonly scope?: 'run';
  /** The answer to a question of `ask_person`. */
  readonly answer?: string;
  /** The `digest` of what the person was shown. Without it, the op is answered as it is recorded. */
  readonly seen?: string;
}

/** A row of `GET /api/threads?q&before&limit` */
export interface ThreadRow {
  readonly thread: string;
  /** What was asked first, on one line and cut. */
  readonly title: string;
  /** With the prefix of its cadre. */
  readonly agent: string;
  /** The newest message, and how it stands. */
  readonly run: RunId;
  readonly state: RunSummary['state'];
  readonly outcome?: RunSummary['outcome'];
  readonly fault?: FaultCode;
  /** Messages of the branch that goes on. */
  readonly messages: number;
  /** What all of its branches cost; absent where no call is priced. */
  readonly usd?: number;
  /** `usd` is only the least that was spent. */
  readonly atLeast: boolean;
  /** Questions of its runs to a person. */
  readonly waiting: number;
  /** When anything last began or ended. */
  readonly at: number;
}

/** `GET /api/threads`, those with the newest message first */
export interface ThreadList {
  readonly items: readonly ThreadRow[];
  /** Of all that fit. */
  readonly total: number;
  /** `before` of the next page; absent on the last one. */
  readonly next?: string;
}

/** A run of a thread. */
export interface ThreadMessage extends RunRow {
  /** How it ended, with the text of its answer. Absent while it has not. */
  readonly ending?: Outcome;
}

/** `GET /api/threads/:thread` */
export interface ThreadInfo {
  readonly thread: string;
  readonly agent: string;
  /** Oldest first. */
  readonly runs: readonly ThreadMessage[];
  /** The conversation as the next message gets it. */
  readonly history: History;
}

// --- Results of tests ----------------------------------------------------------------------------------------------

/** A result of `cadre test` in the list of them. */
export interface TestRow extends TestHead {
  readonly state: TestState;
}

/** `GET /api/tests`, newest first */
export interface TestList {
  readonly items: readonly TestRow[];
}

/** `GET /api/tests/:test` */
export interface TestInfo extends TestRow {
  readonly cases: readonly RecordedCase[];
}

// --- Changes and tests ---------------------------------------------------------------------------------------------

/** `GET /api/runs/:run/changes` */
export interface ChangeList {
  readonly files: readonly {
    readonly path: string;
    /** Where it lay before it was moved. */
    readonly from?: string;
    readonly ops: readonly OpPath[];
    readonly agents: readonly string[];
    /** A unified diff, from which secrets were taken out. */
    readonly diff: string;
  }[];
  /** All of it was taken back. */
  readonly isUndone: boolean;
}

/** `POST /api/runs/:run/undo` with `{dryRun?}` */
export interface UndoneRun {
  readonly run: RunId;
  readonly state: 'undone' | 'would-undo' | 'already-undone' | 'nothing';
  readonly files: readonly { readonly path: string; readonly done: string }[];
}

/** `POST /api/runs/:run/test` with `{name}` */
export interface SavedTestFile {
  readonly file: string;
  readonly recording: string;
  readonly answers: number;
}
