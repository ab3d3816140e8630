// A pattern is a wrapper around a pure session: it may change what goes in, and it decides what follows from what
// comes out. It knows other agents only by name and by what their files promise.

import type { AgentName, SessionRef } from '../kernel/effect.ts';
import type { FileKind } from '../kernel/file-ref.ts';
import type { KernelRules } from '../kernel/revision.ts';
import type { InputContract, OutputContract, SchemaCheck } from '../kernel/schema.ts';
import type { SessionRoutine } from '../kernel/session/session-spec.ts';
import type { SessionTool } from '../kernel/session/session-tool.ts';
import type { Children } from './children.ts';
import type { TeamConfig, TeamOrchestrator, TeamStrategy } from './team-strategy.ts';

/** The facts of an agent's file that other agents may know. */
export interface AgentCard {
  readonly name: AgentName;
  readonly description: string;
  readonly usage?: string;
  readonly input: InputContract;
  /** The files that it takes, if its file says so. */
  readonly accepts?: readonly FileKind[];
  readonly output: OutputContract;
  readonly chat: boolean;
}

/** The parts that tools are made of. */
export interface PatternToolContext {
  /** The agent that declares the patterns. */
  readonly agent: AgentName;
  readonly card: (name: AgentName) => AgentCard;
  readonly check: SchemaCheck;
  /** The open sessions that this agent may ask again. */
  readonly children: Children;
  /** The rules of the kernel that hold in this run. */
  readonly rules: KernelRules;
  /** The limits of the cadre. */
  readonly limits: { readonly maxTurns: number; readonly maxDepth: number };
}

export interface PatternContext extends PatternToolContext {
  /** The contract of the agent's answer, by its file. */
  readonly output: OutputContract;
  /** Reads long results by their handles. Absent for a session that has the tool already. */
  readonly reader?: SessionTool | undefined;
  /** The window of the agent's models, where it is known, and the tokens that a text takes in it. */
  readonly window?: { readonly tokens: number; readonly estimate: (text: string) => number } | undefined;
  /** The teams at work in this run, by their channel. */
  readonly teams: Map<SessionRef, RunningTeam>;
  /** The program of a round, by the session of the agent that is repeated in sessions of their own. */
  readonly rounds: Map<SessionRef, SessionRoutine>;
  /** Other agents work in the place of this one's session. */
  readonly isReplaced: boolean;
  /** True if a run of the one agent may lead to a run of the other, or is one. */
  readonly leadsTo: (from: AgentName, to: AgentName) => boolean;
  /** The body of the file that declares a team. */
  readonly charter: (team: AgentName) => string;
  /** The way in which teams work together. Default: in cycles. */
  readonly strategy?: TeamStrategy | undefined;
  /** The run ends after this stage, for debugging. */
  readonly stopAfter?: AgentName | undefined;
}

export type Wrap = (inner: SessionRoutine) => SessionRoutine;

export const toolName = (agent: AgentName): string => `agent__${agent}`;

/** A team at work, as its participants find it. */
export interface RunningTeam {
  readonly orchestrator: TeamOrchestrator;
  readonly config: TeamConfig;
}
