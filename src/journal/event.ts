// The events of a run: the only source of truth. Everything shown is computed from these.
// EVENT-1. `seq` counts from 0 without gaps; `at` is milliseconds since 1970, and the only clock a view may use.
// EVENT-2. An op is `op-start` then `op-end` under one path; an op that ends as it begins (take, post, clock, fork
//          decisions) is a single `op`.
// EVENT-3. A message is stored once. Where a later event would repeat one, it names the op that holds it.
// EVENT-4. A long text or list stands in a journal once. Where a later event would repeat it, or a part of it, the
//          field is empty in the store, and `repeats` says of what it is made. A store gives events whole.

import type { FileChange } from '../kernel/change.ts';
import type { ControlMessage } from '../kernel/control.ts';
import type {
  AgentName,
  CompactedTurns,
  EffectKind,
  EffectOf,
  Replacement,
  RunInput,
  SessionRef,
  TeamSeat,
  Trigger,
} from '../kernel/effect.ts';
import type { Fault, FaultCode } from '../kernel/fault.ts';
import type { Message, ToolCall } from '../kernel/message.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { OpPath } from '../kernel/path.ts';
import type { OutputContract } from '../kernel/schema.ts';
import type { StartAfter } from '../kernel/spawned.ts';
import type { CallSpend } from '../kernel/usage.ts';
import type { Piece } from './repeats/repeat.ts';

export const EVENT_VERSION = 3;

export type RunId = string;
export type Digest = string;

/** A message of a request, or the op whose result holds it. */
export type StoredMessage =
  | Message
  | { readonly role: 'assistant'; readonly op: OpPath }
  | { readonly role: 'tool'; readonly call: string; readonly name: string; readonly op: OpPath };

interface Stamp {
  /** Its place in the journal. */
  readonly seq: number;
  /** The time at which it was recorded: milliseconds since 1970. */
  readonly at: number;
  /** Only as it is stored: of what its empty texts and lists are made, by their JSON pointers. */
  readonly repeats?: Readonly<Record<string, readonly Piece[]>>;
}

/** The input of a child run. A run has one history, which `run-start` holds; a child that has it too only names it. */
export interface ChildInput extends Omit<RunInput, 'history'> {
  readonly history?: 'run';
}

/** A run begins: what was asked of whom, and by which texts. Always the first event. */
export interface RunStart extends Stamp {
  readonly type: 'run-start';
  /** The version of the events that follow. */
  readonly version: number;
  /** The revision of the kernel. Another revision may act differently on the same record. */
  readonly kernel: number;
  readonly run: RunId;
  readonly agent: AgentName;
  readonly input: RunInput;
  /** The form that the caller wants the answer to have. */
  readonly contract?: OutputContract;
  /** The stage of a chain after which the run ends, for debugging. */
  readonly stopAfter?: AgentName;
  /** A name for it, and the runs that it starts after, where it was spawned from outside. */
  readonly label?: string;
  readonly after?: StartAfter;
  /** The conversation that it is part of. */
  readonly thread?: string;
  /** The run of the conversation before it. */
  readonly continues?: RunId;
  /** The folder the agents came from, and the digest of every text that the run was built from. */
  readonly folder: string;
  readonly texts: Readonly<Record<string, Digest>>;
  /** The root of the tools, if the caller named another folder than the configuration. Absolute. */
  readonly workspace?: string;
  readonly models?: ModelsInPlace;
  /** The run this one was copied from, the op it was copied up to, and how many events were taken over. */
  readonly forkedFrom?: {
    readonly run: RunId;
    readonly at: OpPath;
    readonly events: number;
    /** The files whose pinned text was changed for this run alone: the folder has never held it. */
    readonly edited?: readonly string[];
  };
}

/** Used in place of every agent's own `models`, or by agent; `*` stands for every agent that is not named. */
export type ModelsInPlace = readonly string[] | Readonly<Record<AgentName, readonly string[]>>;

/** The particulars of an op by its kind: enough to show it and to tell whether a replay asks for the same. */
export type OpDetail =
  | {
      readonly kind: 'model';
      readonly session: SessionRef;
      readonly agent: AgentName;
      readonly turn: number;
      readonly models: readonly string[];
      /** The system prompt and tool names, where they differ from the session's previous request. */
      readonly system?: string;
      readonly tools?: readonly string[];
      readonly choice?: 'required';
      /** The tools that may be called, if not all may. */
      readonly callable?: readonly string[];
      /**
       * The number of messages of the run's history, its last ones, that stand before those of a session's first
       * request.
       */
      readonly history?: number;
      /** The call sums up these turns, to make room. It is no turn itself: `turn` is the one before it. */
      readonly compact?: CompactedTurns;
      /** Messages of the request before were replaced by a summary. */
      readonly compacted?: Replacement;
      readonly added: readonly StoredMessage[];
      readonly folded?: readonly number[];
    }
  | {
      readonly kind: 'tool';
      readonly agent: AgentName;
      readonly call: ToolCall;
      readonly source?: string;
      /** The state that the person saw who approved the call. */
      readonly basis?: string;
      /** The reason for it, if a pattern made the call and no reply did. */
      readonly trigger?: Trigger;
    }
  | {
      readonly kind: 'run';
      readonly agent: AgentName;
      readonly input: ChildInput;
      readonly trigger: Trigger;
      readonly contract?: OutputContract;
      readonly seat?: TeamSeat;
      readonly keep?: true;
    }
  | { readonly kind: 'say'; readonly session: SessionRef; readonly text: string; readonly seat?: TeamSeat }
  | { readonly kind: 'approval'; readonly prompt: string; readonly about: unknown }
  | EffectOf<'await-runs' | 'cancel-runs'>;

export type ModelDetail = Extract<OpDetail, { readonly kind: 'model' }>;

/** An op begins. Written before anything leaves the process. A second one of a path: it began again after a crash. */
export interface OpStart extends Stamp {
  readonly type: 'op-start';
  /** The op's address in the tree of the run. */
  readonly path: OpPath;
  readonly op: OpDetail;
  /** A model call has one: a hash of the whole conversation so far, chained so that it stays cheap. */
  readonly fingerprint?: string;
}

/** A model call that failed and was tried again. Its cost, if any, counts. */
export interface Attempt extends Stamp {
  readonly type: 'attempt';
  /** The path of the model op. */
  readonly path: OpPath;
  /** Counted from 1 over all models. */
  readonly number: number;
  readonly spent: CallSpend;
  readonly fault: Fault;
  /** The milliseconds that it took. */
  readonly ms: number;
  /** The next step: the same model after a pause, another model, or none. */
  readonly then:
    | { readonly kind: 'retry'; readonly delayMs: number }
    | { readonly kind: 'failover'; readonly to: string }
    | { readonly kind: 'give-up' };
}

/** A tool call says what it is about to change. Written before the change, so that a crash leaves no doubt about it. */
export interface Intent extends Stamp {
  readonly type: 'intent';
  /** The path of the tool op. */
  readonly path: OpPath;
  readonly change: FileChange;
}

/** An op is over. What it gave is never asked for again. */
export interface OpEnd extends Stamp {
  readonly type: 'op-end';
  readonly path: OpPath;
  /** The kind that its `op-start` has. */
  readonly kind: EffectKind;
  readonly result: OpResult;
}

export type OpResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: Fault };

/** An op that is over as it begins. */
export interface InstantOp extends Stamp {
  readonly type: 'op';
  readonly path: OpPath;
  readonly kind:
    | 'take'
    | 'post'
    | 'clock'
    | 'close'
    | 'parallel'
    | 'spawn'
    | 'begin'
    | 'announce'
    | 'runs'
    | 'send'
    /** A call would do this. Recorded before a person is asked about it. */
    | 'preview';
  readonly detail?: unknown;
  readonly value: unknown;
}

/**
 * A fact that a run learned beside its ops, once per key: about its surroundings, before it needed it, and the results
 * of a session's last reply that no request told.
 */
export interface RunFact extends Stamp {
  readonly type: 'fact';
  /** `agent:<name>` for what an agent needs to know, `results:<op>` for results of the calls in the reply of a model op. */
  readonly key: string;
  readonly value: unknown;
}

const RESULTS = 'results:';

export const resultsKey = (reply: OpPath): string => `${RESULTS}${reply}`;

/** The model op whose results the fact holds: messages without an op of their own. */
export const resultsOf = ({ key }: RunFact): OpPath | undefined =>
  key.startsWith(RESULTS) ? key.slice(RESULTS.length) : undefined;

/** A process resumed the run. */
interface RunResume extends Stamp {
  readonly type: 'run-resume';
  /** The version of the events from here on. Absent: as before. */
  readonly version?: number;
}

/** The run took a message from outside. Recorded before the message has any effect. */
export interface ControlTaken extends Stamp {
  readonly type: 'control';
  readonly message: ControlMessage;
  /** The reason why it had no effect, in words: the matter is over, or is not the one that its sender was shown. */
  readonly refused?: string;
  /** The code of that, for its sender. */
  readonly code?: FaultCode;
}

/** The run has ended. Only an undo comes after it. */
export interface RunEnd extends Stamp {
  readonly type: 'run-end';
  readonly outcome: Outcome;
}

/** A person takes changes of the run back. Recorded before the first file is touched, and again when all are. */
interface Undo extends Stamp {
  readonly type: 'undo';
  readonly state: 'begun' | 'done';
  /** The tool ops whose changes are taken back. */
  readonly ops: readonly OpPath[];
}

export type RunEvent =
  | RunStart
  | OpStart
  | Attempt
  | Intent
  | OpEnd
  | InstantOp
  | RunFact
  | RunResume
  | ControlTaken
  | RunEnd
  | Undo;

/** An event before the journal gave it its place. */
export type UnstampedEvent<Event extends RunEvent = RunEvent> = Event extends RunEvent
  ? Omit<Event, 'seq' | 'at' | 'repeats'>
  : never;
