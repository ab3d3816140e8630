// What a checked cadre needs around it to run: its models, its tools, its people.

import type { AgentDefinition, CadreDefinition } from '../agents/definition.ts';
import type { Environment } from '../agents/read/variables.ts';
import type { RunId } from '../journal/event.ts';
import { previewOf } from '../kernel/approval.ts';
import type { AgentName, ModelReply, ModelRequest, Settled, Verdict } from '../kernel/effect.ts';
import type { Fault } from '../kernel/fault.ts';
import type { OpPath } from '../kernel/path.ts';
import { questionIn } from '../kernel/person.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import type { CallListener } from '../models/failover.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Tool } from '../tools/tool.ts';
import type { RunBudget } from '../world/state/budgets.ts';
import type { Command } from './own-command.ts';

export interface AgentTools {
  readonly tools: ReadonlyMap<string, Tool>;
  /** By the same names: where each tool comes from, as agent files write it. Absent if no tool has a source. */
  readonly addresses?: ReadonlyMap<string, string>;
  /** The names of the tools that need a person's approval. */
  readonly approve: readonly string[];
  /** Those of them that say what a call would do before a person is asked. */
  readonly previews?: readonly string[];
  /** By name: the calls of a tool under `approve` that nobody is asked about. */
  readonly trusted?: ReadonlyMap<string, readonly TrustedCalls[]>;
  /** What the agent's file names and no source offers. No run of the agent begins while there is any. */
  readonly missing?: Fault;
}

/** An entry of `trust` that names some calls of a tool: `shell(npm test)`. */
export interface TrustedCalls {
  readonly entry: string;
  readonly inBrackets: string;
}

export interface ModelListener extends CallListener {
  /** The budget that the call is made under. */
  readonly runBudget: RunBudget | undefined;
  /** Shows that the call waits for a slot of these providers. */
  waiting<Value>(names: readonly string[], work: Promise<Value>): Promise<Value>;
}

/** Where a verdict on a call goes. */
export interface ApprovalAddress {
  readonly run: RunId;
  readonly op: OpPath;
}

/**
 * Asks a person in this process. Undefined: the call waits for a verdict from elsewhere. The signal is aborted when the
 * run ends, and when the verdict came from elsewhere.
 */
export type Approver = (
  prompt: string,
  about: unknown,
  signal: AbortSignal,
  address: ApprovalAddress,
) => Promise<Verdict | undefined>;

/** What is needed to start a helper's process. */
interface HelperHost {
  /** The folder that a helper's process begins in. */
  readonly workspace: string;
  /** Undefined if there is nothing to start. */
  command(): Command | undefined;
  environment(): Environment;
}

export interface CadreAssembly {
  readonly cadre: CadreDefinition;
  /** The secrets that must not be recorded; absent if there are none. */
  readonly secrets?: Secrets;
  callModel(request: ModelRequest, listener: ModelListener, signal: StopSignal): Promise<Settled<ModelReply>>;
  /**
   * Checks that every agent to which a run of this agent may lead has a model that can be called. Throws the fault of
   * one that has none. Undefined if that is known already.
   */
  ready?(agent: AgentName): Promise<void> | undefined;
  /** The smallest window of the agent's models, if one is known. */
  contextWindow(agent: AgentDefinition): Promise<number | undefined>;
  /** Opens the sources of an agent's tools if needed, until the signal is aborted. */
  toolsOf(agent: AgentDefinition, signal?: StopSignal): AgentTools | Promise<AgentTools>;
  /**
   * The tools as they are now, of an agent whose tools may change: a source that reported a change is asked again,
   * one that was lost is not. Undefined for any other agent, and while nothing has been opened yet.
   */
  latestTools?(agent: AgentDefinition, signal: StopSignal): AgentTools | Promise<AgentTools> | undefined;
  /** The tools of an agent as they were last opened. Opens nothing: undefined if they were not. */
  openedTools?(agent: AgentDefinition): AgentTools | undefined;
  /** Absent where no process can be started. */
  readonly helperHost?: HelperHost;
  /** Steps of the scripts in use that no call used, as `file:line`. */
  unusedSteps(): readonly string[];
  close(): Promise<void>;
}

/** For a run without a terminal of its own: a person decides with `cadre approvals`. */
export const fromElsewhere: Approver = () => Promise.resolve(undefined);

export const nobodyThere: Approver = async (_prompt, about) => ({
  approved: false,
  note:
    questionIn(about) === undefined
      ? `Nobody is there to approve it. Run it in a terminal, or with --approve${trustToo(about)}.`
      : NOBODY_ANSWERS,
});

/** The other way out, for a tool that asks by default: those show what a call would do. */
const trustToo = (about: unknown): string =>
  previewOf(about) === undefined ? '' : `, or name it under trust in the agent's file`;

const NOBODY_ANSWERS =
  'Nobody is there to answer. Go on without, or say in your answer what you need to know. ' +
  'A run in a terminal can be asked, and one with --detach waits for cadre approve --answer.';
