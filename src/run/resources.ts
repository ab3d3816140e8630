// The resources that a checked cadre needs to run: its models and its tools.

import type { AgentDefinition } from '../definition/definition.ts';
import type { AgentName, ModelReply, ModelRequest, SettledResult } from '../kernel/effect.ts';
import type { Fault } from '../kernel/fault.ts';
import type { Sight } from '../kernel/file-ref.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import type { CallListener } from '../models/failover.ts';
import type { ToolRules } from '../rules/judge-call.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import type { Tool } from '../tools/tool.ts';
import type { Isolation } from '../world/isolation.ts';
import type { RunBudget } from '../world/run-budget.ts';

export interface AgentTools {
  readonly tools: ReadonlyMap<string, Tool>;
  /** The source of each tool, by the same names, as agent files write it. Absent if no tool has a source. */
  readonly addresses?: ReadonlyMap<string, string>;
  /** The names of the tools that need a person's approval. */
  readonly approve: readonly string[];
  /** Those of them whose calls are previewed before a person is asked: the tool tells what a call would do, or a rule about its arguments decides. */
  readonly previews?: readonly string[];
  /** The names of the tools that change nothing, and of those that the guard against circles leaves out. */
  readonly readOnly?: readonly string[];
  readonly uncounted?: readonly string[];
  /** The entries of the agent's rules that mean a tool, by its name. */
  readonly rules?: ReadonlyMap<string, ToolRules>;
  /** The tools that the agent's file names and no source offers. No run of the agent begins while there is any. */
  readonly missing?: Fault;
}

export interface ModelListener extends CallListener {
  /** The budget that the call is made under. */
  readonly runBudget: RunBudget | undefined;
  /** The process in which the model is called, if that is not this one. */
  readonly isolation: Isolation | undefined;
  /** Shows that the call waits for a slot of these providers. */
  waiting<Value>(names: readonly string[], work: Promise<Value>): Promise<Value>;
}

export interface CadreResources {
  /** The secrets that must not be recorded; absent if there are none. */
  readonly secrets?: Secrets;
  callModel(request: ModelRequest, listener: ModelListener, signal: StopSignal): Promise<SettledResult<ModelReply>>;
  /**
   * Checks that every agent to which a run of this agent may lead has a model that can be called. Throws the fault of
   * one that has none. Undefined if that is known already.
   */
  ready?(agent: AgentName): Promise<void> | undefined;
  /** The smallest window of the agent's models, if one is known. */
  contextWindow(agent: AgentDefinition): Promise<number | undefined>;
  /** The files that some model of the agent sees. Makes nothing and needs no key. Undefined if none sees any. */
  sight(agent: Pick<AgentDefinition, 'models'>): Sight | undefined;
  /** Opens the sources of an agent's tools if needed, until the signal is aborted. */
  toolsOf(agent: AgentDefinition, signal?: StopSignal): AgentTools | Promise<AgentTools>;
  /**
   * The tools as they are now, of an agent whose tools may change: a source that reported a change is asked again,
   * one that was lost is not. Undefined for any other agent, and while nothing has been opened yet.
   */
  latestTools?(agent: AgentDefinition, signal: StopSignal): AgentTools | Promise<AgentTools> | undefined;
  /** The tool that runs a command which judges answers, with the rules of the agent that mean it. */
  commandTool?(agent: AgentDefinition): Promise<{
    readonly tool: Tool;
    readonly rules: ToolRules;
    readonly address: string;
  }>;
  /** The tools of an agent as they were last opened. Opens nothing: undefined if they were not. */
  openedTools?(agent: AgentDefinition): AgentTools | undefined;
  /** The workspace as the file tools see it. Rejects with `tool/source` if it is no folder. */
  workspace(): Promise<Workspace>;
  /** Opens the process that calls the models of a helper. Absent if no process can be started. */
  openProcess?(request: {
    readonly agent: AgentDefinition;
    /** Names the call of the helper in the process. */
    readonly correlation: string;
    /** The number of model calls that it may be asked for. */
    readonly calls: number;
    /** Variables beside those that its models need. */
    readonly environment: Readonly<Record<string, string>>;
  }): Isolation;
  /** Steps of the scripts in use that no call used, as `file:line`. */
  unusedSteps(): readonly string[];
  close(): Promise<void>;
}
