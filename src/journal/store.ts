// The contract of a place that keeps runs. Every implementation passes the suite in store.conformance.ts.

import type { ControlMessage } from '../kernel/control.ts';
import type { RunInput } from '../kernel/effect.ts';
import type { FaultCode, OutcomeKind } from '../kernel/fault.ts';
import type { FileRef } from '../kernel/file-ref.ts';
import type { LimitReached } from '../kernel/limit-reached.ts';
import type { Digest, RunEvent, RunId, RunStart } from './event.ts';
import type { Log, RunLease } from './log.ts';
import type { RunTotals, SpentQuery, SpentReport } from './run-totals.ts';

export interface RunSummary {
  readonly run: RunId;
  readonly agent: string;
  readonly input: RunInput;
  /** Absolute: the folder of its agents. */
  readonly folder: string;
  readonly startedAt: number;
  /** `running`: no end, and a process works on it or cannot be known to be gone. `broken-off`: neither. */
  readonly state: 'running' | 'broken-off' | 'ended';
  readonly label?: string;
  /** The conversation that it is part of, and the run of it before. */
  readonly thread?: string;
  readonly continues?: RunId;
  /** The agents that took part, in the order in which they joined. */
  readonly agents: readonly string[];
  readonly endedAt?: number;
  readonly outcome?: OutcomeKind;
  /** The fault that ended it without an answer. The message is on one line, and cut. `limit`: the one that ended it. */
  readonly fault?: { readonly code: FaultCode; readonly message: string; readonly limit?: LimitReached };
  /** The agent that gave the answer or failed. In a chain it need not be the one that was asked. */
  readonly stage?: string;
  /** The run that it was copied from, the op it was copied up to, and how many events were taken over. */
  readonly forkedFrom?: NonNullable<RunStart['forkedFrom']>;
  /** The calls that it was copied with: the other run has paid them. They are in no other figure of this summary. */
  readonly takenOver?: TakenOver;
  /** The number of times that it was resumed. */
  readonly resumes: number;
  /** Calls of tools and other agents that did not succeed, whatever became of the run. */
  readonly failedBelow: number;
  /** Calls that nobody made: beyond a limit, with wrong arguments, of a tool that is not there. */
  readonly refused: number;
  /** Model calls, with failed attempts and those of helper processes, and what they said they used. */
  readonly calls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  /** The same calls by who made them and with which model. */
  readonly spent: readonly SpentShare[];
  /** Ops that wait for a person. */
  readonly waiting: number;
  /** Calls and questions that were decided. Absent: none. */
  readonly decided?: number;
  readonly events: number;
  readonly bytes: number;
  /** The cost of the priced calls, with those of helper processes and failed attempts; absent if there are none. */
  readonly usd?: number;
  /** Calls whose price is unknown, and so is not in `usd`. */
  readonly unpriced: number;
  /** Those of them that had begun when their process died: whether they cost anything is unknown. */
  readonly inDoubt: number;
  /** `usd` is only the least that was spent: calls are unpriced, or under way. */
  readonly atLeast: boolean;
  /** The name of the worker that works on it. */
  readonly worker?: string;
  /** It was left to the workers of the store, and none of them works on it now. */
  readonly queued?: true;
}

/** The calls of one agent of a run with one model. */
export interface SpentShare {
  readonly agent: string;
  /** `provider/model` */
  readonly model: string;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  /** Absent where none of them has a price. */
  readonly usd?: number;
  readonly unpriced: number;
}

/** The part of a summary that sums over very many runs are made of. */
export type SpentRun = Pick<
  RunSummary,
  'run' | 'startedAt' | 'state' | 'outcome' | 'waiting' | 'queued' | 'spent' | 'unpriced' | 'atLeast'
>;

/** The model calls that a fork holds of the run that it was copied from. */
export interface TakenOver {
  readonly calls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  /** Absent where none of them has a price. */
  readonly usd?: number;
  readonly unpriced: number;
}

/** The progress of a store that counts runs of which its index has nothing, or the count of an earlier release. */
export interface IndexProgress {
  readonly done: number;
  readonly of: number;
}

/** A run is listed if it fits all given fields. */
export interface RunQuery {
  readonly limit?: number;
  /** The last run of the page before: the list begins after it. It need not be there any more. */
  readonly before?: RunId;
  readonly state?: RunSummary['state'];
  /** The agent that was asked. */
  readonly agent?: string;
  readonly outcome?: OutcomeKind;
  readonly label?: string;
  readonly thread?: string;
  /** A part of the text that it was asked, ignoring case. */
  readonly text?: string;
  /** Started at this time or later, or before this time: milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
  /** It has ops that wait for a person. */
  readonly waiting?: true;
  /** It is part of a conversation. */
  readonly threaded?: true;
}

export interface Blobs {
  put(bytes: Uint8Array): Promise<Digest>;
  get(digest: Digest): Promise<Uint8Array | undefined>;
}

export interface CollectOptions {
  /** A blob that was put at or after this time stays: its run may not have named it yet. Milliseconds since 1970. */
  readonly before: number;
  /** Only tell what would be removed. */
  readonly dryRun?: boolean;
}

export interface CollectedBlobs {
  readonly kept: { readonly count: number; readonly bytes: number };
  readonly removed: { readonly count: number; readonly bytes: number };
}

/** Messages of other processes to the runs of a store. A message stays here until the run has recorded it. */
export interface ControlQueue {
  /** When it returns, the message survives this process. Throws `run/unknown`, and `usage` for an invalid message. */
  post(run: RunId, message: ControlMessage): Promise<void>;
  /** Takes them, in the order of posting, each id once. An invalid message is set aside, with a warning to `onWarning`. */
  pending(run: RunId): Promise<readonly ControlMessage[]>;
  /** The messages that lie here, in the order of posting. Looking takes none of them. */
  posted(run: RunId): Promise<readonly ControlMessage[]>;
  /** The sender takes its message back. False if the run has taken it. */
  withdraw(run: RunId, id: string): Promise<boolean>;
  /** The process that works on the run calls this after it recorded them. */
  remove(run: RunId, ids: readonly string[]): Promise<void>;
  /**
   * Tells when the queue of a run may have changed, until the function that it returns is called. A caller that does
   * this before `pending` misses nothing. It does not keep the process alive.
   */
  watch(run: RunId, told: () => void): () => void;
}

/** A run needs these of the worker that takes it. */
export interface WorkerNeeds {
  /** The digest of the cadre.yaml that the run pinned; absent if it pinned none. */
  readonly config?: Digest;
  /** Only workers with this label take it. */
  readonly label?: string;
}

export interface WorkerCard {
  readonly name: string;
  readonly labels: readonly string[];
  /** The folder that the tools of its runs work in. */
  readonly workspace: string;
  /** The most runs that it works on at the same time. Absent: not known to the store. */
  readonly most?: number;
  /** It takes only runs that asked one of these agents. Absent: any. */
  readonly agents?: readonly string[];
  /** It takes only runs that pinned this cadre.yaml, or none. Absent: any. */
  readonly pinned?: { readonly config?: Digest };
  /** The last runs that it gave back. */
  readonly refused?: readonly { readonly run: RunId; readonly why: string }[];
}

export interface WorkerState extends WorkerCard {
  /** The number of runs that it works on. */
  readonly runs: number;
}

/** A run that waits for a worker, as the store knows it. */
export interface WaitingRun {
  readonly needs: WorkerNeeds;
  /** The failure of the last attempt to give it to a worker, if the store gives runs out itself. */
  readonly failed?: string;
}

export interface TakeRequest {
  /** Runs that wait for a worker, or runs whose process is gone. */
  readonly from: 'queue' | 'left';
  readonly most: number;
  /** Only runs that asked one of these agents. Absent: any. */
  readonly agents?: readonly string[];
  /** Only runs that pinned this cadre.yaml, or none. Absent: any. */
  readonly pinned?: { readonly config?: Digest };
  /** Runs that this worker has refused. */
  readonly except: readonly RunId[];
}

/** A run that this process took, and that no other can claim while it lives. */
export interface TakenRun {
  readonly run: RunId;
  /** True if messages to it lay in the store when it was taken. */
  readonly hasMessages: boolean;
  /** The right to append to it, after what is recorded. Throws `run/locked`, and `journal/corrupt` for what cannot be read. */
  open(): Promise<{ readonly recorded: readonly RunEvent[]; readonly lease: RunLease }>;
  /** Leaves it to others, opened or not. */
  giveBack(): Promise<void>;
}

/** Carries live events between processes: at most once, and only while somebody watches. */
export interface LiveExchange {
  /** The longest text that can be sent, in bytes. */
  readonly maxBytes: number;
  /** So long what happens is gathered before it is sent, because each sending costs something. */
  readonly gatherMs: number;
  /** Sends texts about a run to those who watch it. */
  send(run: RunId, texts: readonly string[]): Promise<void>;
  /** The run has ended, and nothing more is sent about it. Absent: nothing is left of what was sent. */
  ended?(run: RunId): Promise<void>;
  /** Gets the texts until the returned function is called. */
  watch(run: RunId, told: (text: string) => void): () => void;
  /** Tells, again and again, that somebody watches a run. */
  onWatched(told: (run: RunId) => void): () => void;
}

/** A store that several machines share has this: it hands runs to workers. */
export interface Fleet {
  /** Only workers work on its runs, and the store gives them out itself: nobody joins or takes. */
  readonly assigns?: true;
  /**
   * Stores a new run and leaves it to the workers. One that exists already is not changed: the store throws `run/locked`,
   * or has no way to tell. Absent: it is
   * stored as every run is, and then offered.
   */
  submit?(start: RunStart, needs: WorkerNeeds): Promise<void>;
  /** Leaves a run that is stored to the workers. Throws `run/unknown`. */
  offer(run: RunId, needs: WorkerNeeds): Promise<void>;
  /** Makes this process a worker from now on. Called again, it replaces the text of the card. */
  join(card: WorkerCard): Promise<void>;
  /** Takes runs that no living process has. One call at a time. */
  take(request: TakeRequest): Promise<readonly TakenRun[]>;
  /** Tells when there may be something to take. */
  onWork(told: () => void): () => void;
  /** Those that are alive. */
  workers(): Promise<readonly WorkerState[]>;
  /** Those of these runs that wait for a worker. */
  waiting(runs: readonly RunId[]): Promise<ReadonlyMap<RunId, WaitingRun>>;
  /**
   * One of `count` slots that all processes of the store share under a key, until the returned function is called or
   * this process is gone. Rejects with the reason of the signal. Absent: every process has its own.
   */
  slot?(key: string, count: number, signal: AbortSignal): Promise<() => void>;
  /** Absent: what happens between two events is seen only in the process that works on the run. */
  readonly live?: LiveExchange;
}

interface ListedTests {
  readonly id: string;
  readonly head: string;
  /** The time at which it was last put, by the clock of the store: one that is still being written is put every few seconds. */
  readonly putAt: number;
}

/** The number of test results that a store keeps: the newest by their ids. */
export const MOST_TESTS = 50;

/** Results of tests. They are no runs, and only link to some. */
export interface TestResults {
  /** Writes a result, or replaces it whole. The oldest beyond `MOST_TESTS` go. */
  put(id: string, kept: { readonly head: string; readonly body: string }): Promise<void>;
  /** Newest first. */
  list(): Promise<readonly ListedTests[]>;
  /** Undefined if there is none. */
  get(id: string): Promise<(ListedTests & { readonly head: string; readonly body: string }) | undefined>;
  remove(id: string): Promise<void>;
}

/** A filter of the list of runs under a name: `query` is what stands in the address of the page after `?`. */
export interface SavedFilter {
  readonly name: string;
  readonly query: string;
}

/** The most filters that one owner may save. */
export const MOST_FILTERS = 50;

/** `owner`: whose they are, empty for those that all share. */
export interface SavedFilters {
  /** In the order of their names. */
  list(owner: string): Promise<readonly SavedFilter[]>;
  /** Writes one, or replaces that of the same name. Throws `usage` where there are `MOST_FILTERS` others. */
  put(owner: string, filter: SavedFilter): Promise<void>;
  /** False if there is none. */
  remove(owner: string, name: string): Promise<boolean>;
}

export const MARKS = ['good', 'bad'] as const;
export type Mark = (typeof MARKS)[number];

/** A person’s word on a run after it ended. */
export interface RunNote {
  readonly run: RunId;
  /** The name of the person or of their token. */
  readonly by: string;
  readonly at: number;
  readonly mark: Mark;
  readonly text?: string;
}

/** The longest reason, in characters. */
export const MOST_NOTE_TEXT = 2000;

/** Notes of a run are removed with it. */
export interface Notes {
  /** Those of one run, or of all. Newest first. */
  list(run?: RunId): Promise<readonly RunNote[]>;
  /** Those of some runs of a list, by run: notes of other runs are not read. */
  of(runs: readonly RunId[]): Promise<ReadonlyMap<RunId, readonly RunNote[]>>;
  /** Replaces the note of this person on the run. Throws `run/unknown`, and `usage` for a text that is too long. */
  put(run: RunId, note: Pick<RunNote, 'by' | 'mark' | 'text'>): Promise<RunNote>;
  /** False if this person has none. */
  remove(run: RunId, by: string): Promise<boolean>;
}

/** Files that lie in the store before a run has named them. `owner`: who put them, who alone may name them. */
export interface Uploads {
  /** When it returns, the file is there, and a run that names it within a day finds it. */
  put(owner: string, file: FileRef, bytes: Uint8Array): Promise<void>;
  get(owner: string, digest: Digest): Promise<FileRef | undefined>;
  /** A run has named it, or it is not wanted. Its bytes go with the runs that name them. */
  forget(owner: string, digest: Digest): Promise<void>;
  /** Removes the files of more than a day ago that no run has named, and returns how many those are. */
  sweep(): Promise<number>;
}

/** A sign-in as a store keeps it. `head` says on one line whose it is, and holds no secret. */
export interface KeptSignIn {
  readonly id: string;
  readonly head: string;
  readonly body: string;
  /** Another one after each put. */
  readonly version: string;
}

export interface SignIns {
  list(): Promise<readonly KeptSignIn[]>;
  get(id: string): Promise<KeptSignIn | undefined>;
  /** False if what is expected does not stand there: a version, `absent`, or `any`. */
  put(id: string, signIn: Pick<KeptSignIn, 'head' | 'body'>, expected: string): Promise<boolean>;
  /** False if there was none. */
  remove(id: string): Promise<boolean>;
  /** The right to renew it for so long, counted from when it was given. Undefined while another process has it. */
  lease(id: string, forMs: number): Promise<{ release(): Promise<void> } | undefined>;
  /** Tells when one may have been put, until the function that it returns is called. */
  watch(told: () => void): () => void;
}

export interface RunStore extends Omit<Log, 'digests' | 'sweep'> {
  /** Newest first. */
  list(query?: RunQuery): Promise<readonly RunSummary[]>;
  /** Sums over the same runs, at a part of the cost: each call once, in the run that paid for it. */
  spent(query: SpentQuery): Promise<SpentReport>;
  /** The totals of all runs. */
  totals(): Promise<RunTotals>;
  /** The progress of a list that counts many runs from their journals, which takes long. Undefined while none does. */
  counting(): IndexProgress | undefined;
  /** Throws `run/unknown`. */
  summary(run: RunId): Promise<RunSummary>;
  /** The full id for an id, a unique prefix of one, or `last`. Throws `run/unknown`, naming the nearest. */
  find(name: string): Promise<RunId>;
  /**
   * Removes the blobs that no run names. A blob that is put again counts as new, so that a run that begins meanwhile
   * finds what it put.
   */
  collect(options: CollectOptions): Promise<CollectedBlobs>;
  /**
   * Puts a value under a key where there is none, and returns the value that stands there, whichever process put it. When
   * it returns, that survives the death of this process. `collect` forgets what was put before its time.
   */
  putIfAbsent(key: string, value: string): Promise<string>;
  readonly blobs: Blobs;
  readonly control: ControlQueue;
  readonly tests: TestResults;
  readonly filters: SavedFilters;
  readonly notes: Notes;
  readonly uploads: Uploads;
  /** Absent if the store keeps no secrets. */
  readonly signIns?: SignIns;
  /** The time that all processes of the store go by. Absent: that of this machine. */
  now?(): number;
  /** Absent if only processes of one machine share the store. */
  readonly fleet?: Fleet;
  /** Closes its connections. Absent if it has none. */
  close?(): Promise<void>;
}
