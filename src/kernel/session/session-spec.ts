// The parts of a session: the agent's part, which all its sessions share, and one request to it.

import type {
  AgentName,
  Broadcast,
  InboxRef,
  ModelSettings,
  Routine,
  RunInput,
  SessionRef,
  TeamSeat,
  Trigger,
} from '../effect.ts';
import type { Sight } from '../file-ref.ts';
import type { Outcome } from '../outcome.ts';
import type { OutputContract, SchemaCheck } from '../schema.ts';
import type { CircleLimits } from './circles.ts';
import type { CompactRules } from './compact-rules.ts';
import type { Estimate, SessionConversation } from './conversation.ts';
import type { SessionTool } from './session-tool.ts';

/** The part of a session that comes from the agent's file. */
export interface SessionSpec {
  readonly agent: AgentName;
  readonly system: string;
  readonly models: readonly string[];
  readonly settings: ModelSettings;
  readonly output: OutputContract;
  readonly maxTurns: number;
  readonly maxToolCallsPerTurn: number;
  readonly maxRetries: number;
  readonly modelTimeoutMs: number;
  readonly contextWindow?: number;
  /** Its eyes, where the run came with files and the window is known. */
  readonly sight?: Sight;
  /** The list of tools stays as it is on the last turn. */
  readonly keepsTools?: true;
  /** Absent: the session is not guarded against going in circles. */
  readonly stuck?: CircleLimits;
  /** Absent: a session that has no room takes its final turn. */
  readonly compact?: CompactRules;
}

/** Pure functions that are passed to the kernel, because it imports nothing. */
export interface Services {
  readonly check: SchemaCheck;
  readonly estimate: Estimate;
}

/** One request to an agent. Patterns add to it here. */
export interface SessionInput {
  readonly self: SessionRef;
  readonly request: RunInput;
  readonly conversation: SessionConversation;
  readonly trigger: Trigger;
  /** The caller's contract: it binds the terminal agent. Absent: the agent's own. */
  readonly contract?: OutputContract | undefined;
  readonly tools?: readonly SessionTool[] | undefined;
  /** Exits instead of `final_report`. */
  readonly exits?: readonly SessionTool[] | undefined;
  /** Stands before the agent's own system prompt. */
  readonly preamble?: string | undefined;
  /** A seat in a team, for the agent that takes it in the end. */
  readonly seat?: TeamSeat | undefined;
  /** Turns that the session may spend in all, if a team limits them. */
  readonly maxTurns?: number | undefined;
  /** The inbox, if it is more than the session's own, and how broadcasts are worded for the model. */
  readonly box?: InboxRef | undefined;
  readonly inject?: ((broadcasts: readonly Broadcast[]) => readonly string[]) | undefined;
  /** The analysis of advisors, for the agent that the request is passed to. */
  readonly analysis?: string | undefined;
  /** The state that the person saw who approved the command that judges this agent's answers. */
  readonly judgeBasis?: string | undefined;
  /** The caller wants to be able to ask again. */
  readonly keep?: true | undefined;
}

export type SessionRoutine = (input: SessionInput) => Routine<Outcome>;
