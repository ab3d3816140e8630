// Everything that a session or a pattern may ask of the world. The set is closed and serializable: kernel and
// patterns are generators that yield these descriptions, and the driver performs, records or recalls them.
// A new member is a decision (docs/decisions).

import type { CallResult, PreviewAnswer } from './approval.ts';
import type { Fault } from './fault.ts';
import type { FileRef } from './file-ref.ts';
import type { AssistantMessage, Message, ToolCall, ToolMessage, ToolSpec, UserMessage } from './message.ts';
import type { Outcome } from './outcome.ts';
import type { OpPath } from './path.ts';
import type { OutputContract } from './schema.ts';
import type {
  AwaitedRuns,
  SharedContext,
  SharedHandles,
  SpawnAnswer,
  SpawnBegin,
  SpawnDelivery,
  SpawnId,
  SpawnLimits,
  SpawnOrder,
  SpawnReport,
} from './spawned.ts';
import type { CallSpend } from './usage.ts';

export type AgentName = string;
/** A session is named by the path of the op that opened it. */
export type SessionRef = OpPath;

export interface ModelSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high';
}

/** One turn's question. `messages` is the whole conversation; only what is new since the last request is recorded. */
export interface ModelRequest {
  readonly session: SessionRef;
  readonly agent: AgentName;
  readonly turn: number;
  /** `provider/model` or aliases, in order of preference. */
  readonly models: readonly string[];
  readonly settings: ModelSettings;
  readonly system: string;
  readonly messages: readonly Message[];
  /** The number of messages at the beginning that come from the end of the run's history. Absent means none. */
  readonly history?: number;
  /** Index of the first message that no earlier request of this session held. */
  readonly fresh: number;
  /** Indices of earlier messages whose tool result was replaced by a handle since the last request. */
  readonly folded: readonly number[];
  readonly tools: readonly ToolSpec[];
  /** The names of those that may be called, if not all may: the exits, on the last turn. */
  readonly callable?: readonly string[];
  /** `required`: the reply must call a tool. */
  readonly choice: 'auto' | 'required';
  /** The form of the final answer, for models that enforce a schema natively. */
  readonly output: OutputContract;
  /** The call sums up what is to be replaced, and is no turn: `turn` is the one before it. */
  readonly compact?: CompactedTurns;
  /** A summary replaced messages of the request before. */
  readonly compacted?: Replacement;
  /** Files stand in its messages. */
  readonly showsFiles?: true;
  /** Attempts per model. */
  readonly maxRetries: number;
  readonly timeoutMs: number;
}

/** The part of a conversation that a compaction is to replace. */
export interface CompactedTurns {
  /** The first turn and the last one. `to` is less than `from` if there are only messages from before. */
  readonly from: number;
  readonly to: number;
  readonly messages: number;
  /** The turns that stay, by the agent's file. */
  readonly keep: number;
}

/** The change that a compaction made to the messages of a session. */
export interface Replacement {
  /** Those before `from` that stay. After them stands `text`, and then those from `from` on. */
  readonly stays: readonly number[];
  readonly from: number;
  readonly text: string;
}

export interface ModelReply {
  readonly message: AssistantMessage;
  readonly spent: CallSpend;
  /** Models of the list that were not asked, because they cannot see the files that others of the list see. */
  readonly passedOver?: readonly string[];
  /** The handle to all that the call summed up. Absent for any other call. */
  readonly handle?: string;
  /** A budget that the call was made under is nearly spent. */
  readonly reminder?: Reminder;
}

/** A note that a session gets with its next turn. */
interface Reminder {
  readonly to: SessionRef;
  readonly text: string;
  /** The runs whose budgets are meant. A budget reminds once. */
  readonly of: readonly OpPath[];
}

/** One message of a conversation that a run continues. */
export interface HistoryMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Pictures and documents that came with a message of the user. `text` has no lines for them. */
  readonly files?: readonly FileRef[];
}

/** Earlier requests and answers, oldest first, in the form that sessions get. It begins with the user. */
export type History = readonly HistoryMessage[];

/** The input of a run. */
export interface RunInput {
  readonly text: string;
  /** The parsed input, for an agent that takes JSON; `text` is its encoding then. */
  readonly data?: unknown;
  /** The reason for the request. Recorded, not shown to the agent. */
  readonly reason?: string;
  /** The request that the run began with: passed along from hop to hop, never nested. */
  readonly origin?: string;
  /** Pictures and documents that the agent is shown. They belong to the request, so its lines are in `base` and `origin`. */
  readonly files?: readonly FileRef[];
  /** The files of `origin`, for an agent that is not shown them. */
  readonly originFiles?: readonly FileRef[];
  /** `text` was put together of parts that are quoted already: the headings in it are not to be escaped. */
  readonly quoted?: true;
  /** The parts of `text`, if it was composed: the request itself, as quoted, and the sections added to it. */
  readonly base?: string;
  readonly sections?: readonly string[];
  /** The shared context that the agent was given and inherited. It stands in its prompt. */
  readonly shared?: SharedContext;
  /**
   * The shared context of earlier runs that the same session spawned. The agent can read it; its prompt does not show
   * it.
   */
  readonly family?: SharedContext;
  /** Handles of results that `text` and `family` hold only in part. */
  readonly handles?: readonly string[];
  /** Handles of results that `shared` holds only in part, by key: a run that inherits a key inherits its handle. */
  readonly sharedHandles?: SharedHandles;
  /** The first of `sections`, as far as they may be shortened: they share half of the window. Null: this one may not. */
  readonly shares?: readonly (LongSection | null)[];
  /**
   * The conversation that the request continues. A run has one history. The agents that talk with the user get it: the
   * root, its advisors, its team and a router's destination. Delegates, later stages of a chain and spawned runs do not.
   */
  readonly history?: History;
}

/** A section whose text can be read back. */
export interface LongSection {
  readonly handle: string;
  /** The characters of the whole text. */
  readonly length: number;
}

/** The traits that follow from the way a run was started. A pattern declares them once for each of its triggers. */
export interface TriggerTraits {
  /** The key of an agent file that the tree shows for it. */
  readonly pattern: string;
  /** The run is a level below the agent that asked for it. False: it takes that agent's place, on the same level. */
  readonly deepens: boolean;
  /** The run is a part of the run above: it shares what that was given, and stands beside its session in the tree. */
  readonly isHop: boolean;
  /** Its outcome becomes that of the run above. */
  readonly answers: boolean;
  /** Its pattern has a limit of its own for how deep it nests, so `limits.maxDepth` does not count it. */
  readonly limitsDepth?: true;
}

/** The reason why a run happens, for tree, ledger and graph. */
export interface Trigger {
  readonly kind:
    | 'start'
    | 'call'
    | 'next'
    | 'handoff'
    | 'router'
    | 'advisor'
    | 'member'
    | 'supervisor'
    | 'spawn'
    | 'subagent'
    /** A loop has an answer judged, or begins a session of its own for the next one. */
    | 'judge'
    | 'repeat'
    /** A map runs its worker for one item. */
    | 'each'
    /** A trigger of a pattern that a program brings. */
    | (string & {});
  /** Recorded for a pattern that a program brings, so that a process without that program can show the run. */
  readonly means?: TriggerTraits;
  readonly chainTrigger?: 'next' | 'handoff';
  readonly chainParent?: string;
  readonly chainStageIndex?: number;
  /** This stage runs as the `else` of a stage that did not answer. */
  readonly insteadOf?: string;
  /** The value for which a branch chose this stage. */
  readonly case?: string;
  /** The round of a loop, from 0, and how many it may have. */
  readonly round?: number;
  readonly of?: number;
  /** The place of an item in the list of a map, from 0, and the length of the list. */
  readonly index?: number;
  readonly count?: number;
  /** The id of the spawned run. */
  readonly spawned?: SpawnId;
  /** The depth of a helper: 1 for an agent's own. */
  readonly depth?: number;
  /** Names the call of a helper in other logs: run and op path. A fork keeps the one it copied, so no fingerprint holds it. */
  readonly correlation_id?: string;
  readonly task_sha256?: string;
  /** The beginning of a helper's task, on one line. */
  readonly preview?: string;
}

/** Names an inbox: a session's own, and the channel that it listens to under a name. */
export interface InboxRef {
  readonly session: SessionRef;
  readonly channel?: SessionRef;
  readonly as?: string;
  /** Takes no message: the answer only says if work is to stop. */
  readonly only?: 'stop';
}

/** Makes an agent a participant of a team, beyond its own file. */
export interface TeamSeat {
  readonly team: AgentName;
  readonly channel: SessionRef;
  readonly role: 'member' | 'supervisor';
  readonly memberId: string;
}

/** A message of a participant to its team. */
export interface TeamMessage {
  readonly type: 'update' | 'failure';
  readonly memberId: string;
  readonly message: string;
  /** The sender's turns so far. */
  readonly turnCount: number;
}

/** A team message with its number in the transcript. */
export interface Broadcast extends TeamMessage {
  readonly number: number;
  readonly timestamp: number;
  /** The reason why the program's hook refused it. The team did not hear it, and its number is 0. */
  readonly refused?: string;
}

/** The tools that the world performs for a session, beside those that the session brings itself. */
export interface OfferedTools {
  readonly tools: readonly ToolSpec[];
  /** The tools among them that need a person's approval. */
  readonly approve: readonly string[];
  /** Those of the tools under `approve` that say what a call would do before a person is asked. */
  readonly previews?: readonly string[];
  /**
   * The source of a tool and its name there, by the name of the tool, if the name alone could later mean another tool.
   */
  readonly sources?: Readonly<Record<string, string>>;
  /** The tools among them that change nothing. */
  readonly readOnly?: readonly string[];
  /** The tools among them whose calls are not counted by the guard against circles. */
  readonly uncounted?: readonly string[];
}

export interface Mail {
  readonly messages: readonly UserMessage[];
  /** The broadcasts of others on the channel since the last take, in the transcript's order. */
  readonly broadcasts?: readonly Broadcast[];
  /** The place in the transcript that this take reached, the session's own messages included. */
  readonly upTo?: number;
  /** A graceful stop was asked for: give the final answer now. */
  readonly stop?: string;
  /** The tools that are offered from this turn on, if they have changed. */
  readonly tools?: OfferedTools;
}

interface RunLimits {
  readonly ms?: number | undefined;
  readonly turns?: number | undefined;
}

export type Effect =
  /** One model call; retries and failover happen inside, each attempt recorded. */
  | { readonly kind: 'model'; readonly request: ModelRequest }
  | {
      readonly kind: 'tool';
      readonly agent: AgentName;
      readonly call: ToolCall;
      readonly source?: string;
      /** The state that the person saw who approved the call (`Preview`). */
      readonly basis?: string;
      /** The reason for it, if a pattern makes the call and no reply did: the tool need not be one of the agent's. */
      readonly trigger?: Trigger;
    }
  /** Asks a tool for the preview of a call, and if a person has to be asked about it. Changes nothing. */
  | {
      readonly kind: 'preview';
      readonly agent: AgentName;
      readonly call: ToolCall;
      readonly source?: string;
      readonly trigger?: Trigger;
    }
  /** A child run, awaited. `keep` leaves the session that answered open, and the outcome names it. */
  | {
      readonly kind: 'run';
      readonly agent: AgentName;
      readonly input: RunInput;
      readonly trigger: Trigger;
      readonly contract?: OutputContract | undefined;
      /** Limits of the caller, beside those of its file. Not recorded: they follow from the record. */
      readonly limits?: RunLimits | undefined;
      readonly keep?: true | undefined;
      readonly seat?: TeamSeat | undefined;
      /** Its models are called in a process of its own. The record is the same. */
      readonly isolate?: 'process' | undefined;
    }
  /** Continues a session that was kept open, and gives its next outcome. */
  | { readonly kind: 'say'; readonly session: SessionRef; readonly text: string; readonly seat?: TeamSeat }
  /** Ends a session that was kept open, and all that it kept open itself. */
  | { readonly kind: 'close'; readonly session: SessionRef }
  /** Takes the mail of a session's inbox. It is recorded, so replay is exact. */
  | { readonly kind: 'take'; readonly inbox: InboxRef }
  | { readonly kind: 'post'; readonly channel: SessionRef; readonly saying: TeamMessage }
  /** A person's approval or answer. */
  | { readonly kind: 'approval'; readonly prompt: string; readonly about: unknown }
  | { readonly kind: 'clock' }
  /** Registers background runs of a session, as many as its limits allow. Answering it launches them. */
  | {
      readonly kind: 'spawn';
      readonly session: SessionRef;
      readonly orders: readonly SpawnOrder[];
      readonly limits: SpawnLimits;
      /** The number of these orders that may work at the same time. */
      readonly together?: number;
    }
  /** Waits until `need` of the runs are over, the deadline passes, or the waiting session or run is cancelled. */
  | {
      readonly kind: 'await-runs';
      readonly runs: readonly SpawnId[];
      readonly need: number;
      /** The spawned run that cannot begin before; absent where a session waits. */
      readonly by?: SpawnId;
      /** Counts from when `by` was spawned, else from the start of this op, by the record: a restart adds no time. */
      readonly withinMs?: number;
      /** True if outcomes and their texts are wanted. */
      readonly results?: true;
    }
  /** Waits for a spawned run's slot. Also answers how those of `results` ended that are over. */
  | { readonly kind: 'begin'; readonly run: SpawnId; readonly results?: readonly SpawnId[] }
  /** Announces that a spawned run is over: those that wait for it go on, and its parent's inbox gets the text. */
  | {
      readonly kind: 'announce';
      readonly run: SpawnId;
      readonly to: SessionRef;
      readonly text: string;
      /** The end of a run that never ran. */
      readonly end?: Outcome;
    }
  /** Reports on spawned runs: on these, or on all below a session. */
  | {
      readonly kind: 'runs';
      readonly runs?: readonly SpawnId[];
      readonly below?: SessionRef;
      readonly results?: true;
    }
  /** Ends runs and all that they spawned; answered when they have ended. */
  | { readonly kind: 'cancel-runs'; readonly runs: readonly SpawnId[]; readonly reason: string }
  /** A message into the inbox of a spawned run. */
  | { readonly kind: 'send'; readonly run: SpawnId; readonly text: string };

export type EffectKind = Effect['kind'];
export type EffectOf<Kind extends EffectKind> = Extract<Effect, { kind: Kind }>;

export interface Verdict {
  readonly approved: boolean;
  readonly note?: string;
  /** The name of the person who decided, shown to anyone who asks later. */
  readonly by?: string;
  /** The yes also answers the same question when it is asked again in this run (`questionKey`). */
  readonly scope?: 'run';
  /** The answer of the person, if they were asked a question. */
  readonly answer?: string;
  /** Nobody was asked, or nobody answered: it is no, and no person said so. */
  readonly absent?: true;
  /** The op at which a person said yes for the rest of the run, where that is the answer here. */
  readonly under?: OpPath;
}

/** The value that each effect gives back. */
export interface EffectValues {
  readonly model: ModelReply;
  readonly tool: CallResult;
  readonly run: Outcome;
  readonly say: Outcome;
  readonly close: null;
  readonly take: Mail;
  readonly post: Broadcast;
  readonly preview: PreviewAnswer;
  readonly approval: Verdict;
  readonly clock: number;
  readonly spawn: SpawnAnswer;
  readonly 'await-runs': AwaitedRuns;
  readonly begin: SpawnBegin;
  readonly announce: null;
  readonly runs: readonly SpawnReport[];
  readonly 'cancel-runs': readonly SpawnReport[];
  readonly send: SpawnDelivery;
}

export type SettledResult<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: Fault };

/**
 * Branches that run at the same time. All are settled before the routine goes on; the first thrown fault in source
 * order is raised then. With `enough`, the branches still at work are cancelled as soon as it holds for the values so
 * far (undefined where a branch is not done); which branches counted is recorded.
 */
export interface Parallel {
  readonly kind: 'parallel';
  readonly branches: readonly (() => Routine<unknown>)[];
  readonly enough?: (values: readonly unknown[]) => boolean;
  /** So many of them at once, begun in their order. One that never began gives undefined. */
  readonly concurrent?: number;
}

/**
 * An effect whose answer starts routines that the caller does not wait for. Each is driven in the background, under the
 * effect's path and its own place in the list, until it ends; the run it was launched in ends after it.
 */
export interface Launch {
  readonly kind: 'launch';
  readonly effect: Effect;
  /** Undefined for a place where nothing is launched. */
  readonly routines: (answer: SettledResult) => readonly ((() => Routine<void>) | undefined)[];
}

/**
 * The results of a session's last reply, which no request will tell its model. The driver passes them on to be recorded,
 * and they are no op: a routine that leaves them counts its requests as one that does not.
 */
export interface LastResults {
  readonly kind: 'last-results';
  readonly messages: readonly ToolMessage[];
}

export type Routine<Value> = Generator<Effect | Parallel | Launch | LastResults, Value, unknown>;

/** Types the answer to a yielded effect. `perform` is safer; this one is for the loop that every turn passes. */
export const answerTo = <Kind extends EffectKind>(answer: unknown): SettledResult<EffectValues[Kind]> =>
  answer as SettledResult<EffectValues[Kind]>;

export function* perform<Kind extends EffectKind>(effect: EffectOf<Kind>): Routine<SettledResult<EffectValues[Kind]>> {
  return (yield effect) as SettledResult<EffectValues[Kind]>;
}

/** The values of all branches in source order, undefined for one that `enough` left behind. */
export function* parallel<Value>(branches: readonly (() => Routine<Value>)[]): Routine<readonly Value[]> {
  if (branches.length === 0) return [];
  return (yield { kind: 'parallel', branches }) as readonly Value[];
}

export function* parallelUntil<Value>(
  branches: readonly (() => Routine<Value>)[],
  enough: (values: readonly (Value | undefined)[]) => boolean,
): Routine<readonly (Value | undefined)[]> {
  return (yield { kind: 'parallel', branches, enough: enough as (values: readonly unknown[]) => boolean }) as readonly (
    | Value
    | undefined
  )[];
}

/** The same, so many at once and begun in their order: a branch that never began gives undefined too. */
export function* parallelInTurn<Value>(
  branches: readonly (() => Routine<Value>)[],
  concurrent: number,
  enough: (values: readonly (Value | undefined)[]) => boolean,
): Routine<readonly (Value | undefined)[]> {
  if (branches.length === 0) return [];
  const step = {
    kind: 'parallel',
    branches,
    concurrent,
    enough: enough as (values: readonly unknown[]) => boolean,
  } as const;
  return (yield step) as readonly (Value | undefined)[];
}

export function* launch<Kind extends EffectKind>(
  effect: EffectOf<Kind>,
  routines: (answer: SettledResult<EffectValues[Kind]>) => readonly ((() => Routine<void>) | undefined)[],
): Routine<SettledResult<EffectValues[Kind]>> {
  return (yield { kind: 'launch', effect, routines: routines as Launch['routines'] }) as SettledResult<
    EffectValues[Kind]
  >;
}
