// The library: a folder of agents as an object that can be run. What the command line does, a program does with this.

import { agentRequest } from './engine/request.ts';
import type { CadreDefinition } from './agents/definition.ts';
import { loadCadre as loadDefinition } from './agents/load.ts';
import { assemble } from './engine/assemble.ts';
import { type Approver, nobodyThere } from './engine/assembly.ts';
import { type Chat, type ChatOptions, openChat } from './engine/chat.ts';
import type { ResumeOptions, RunHandle } from './engine/engine.ts';
import { localEngine, pinnedCadre } from './engine/local.ts';
import { fileMailbox } from './engine/mailbox.ts';
import { services } from './engine/services.ts';
import { join } from 'node:path';
import type { RunId } from './journal/event.ts';
import type { RunStore } from './journal/store.ts';
import { fileStore } from './journal/stores/file.ts';
import { memoryStore } from './journal/stores/memory.ts';
import type { OutputContract } from './kernel/schema.ts';
import { telemetryFor } from './telemetry/for-cadre.ts';
import type { Tool } from './tools/tool.ts';

export interface CadreOptions {
  /** Functions of the program, made with `tool()`. Agents list them by name under `tools`. */
  readonly tools?: readonly Tool[];
  /**
   * A store, the folder of one, or `memory`. Default: what cadre.yaml says, else `.cadre` in the folder. The runs of a
   * folder can be reached with `cadre runs cancel` and `cadre runs send`.
   */
  readonly store?: RunStore | string;
  /** Asked before a tool that waits for a person's yes. Default: the answer is no. */
  readonly approve?: Approver;
  /** What the `files` tools are rooted at. Default: the folder. */
  readonly workspace?: string;
  /** Told what went wrong beside the runs. Default: a process warning. */
  readonly warn?: (text: string) => void;
}

export interface RunOptions {
  /** The caller's contract: it binds the agent that answers. */
  readonly output?: OutputContract;
  /** For debugging: end the run after this stage of a chain. */
  readonly stopAfter?: string;
  /** Aborted: the run is cancelled. */
  readonly signal?: AbortSignal;
}

export interface Cadre {
  readonly definition: CadreDefinition;
  readonly store: RunStore;
  /** `input` is a text, or any JSON value for an agent that takes JSON. Rejects where the input does not fit. */
  run(agent: string, input: unknown, options?: RunOptions): Promise<RunHandle>;
  /** A conversation with an agent: a new thread, or one that goes on. */
  chat(agent: string, options?: ChatOptions): Promise<Chat>;
  /** Takes up a run that was broken off. A unique part of its id, or `last`, is enough. */
  resume(run: RunId, options?: ResumeOptions): Promise<RunHandle>;
  /** Closes what was opened: connections, tool servers. */
  close(): Promise<void>;
}

/** Reads and checks the agents of a folder. Rejects with a FaultError that holds every finding. */
export async function loadCadre(dir: string, options: CadreOptions = {}): Promise<Cadre> {
  const { tools = [], approve = nobodyThere, workspace, warn = warnProcess } = options;
  const knownTools = tools.map(({ spec }) => spec.name);
  const definition = await loadDefinition(dir, { knownTools });
  const { store, dir: folder } = placeOf(options.store, definition, warn);
  const telemetry = await telemetryFor(definition, warn);
  const engine = localEngine(definition, {
    store,
    services,
    approve,
    assemble: (cadre) =>
      assemble(cadre, {
        tools,
        ...(workspace !== undefined && { workspace }),
        ...(folder !== undefined && { store: folder }),
      }),
    pinned: (start) => pinnedCadre(start, store, { knownTools }),
    warn,
    ...(folder !== undefined && { mailbox: fileMailbox(folder, warn) }),
    ...(telemetry && { observe: telemetry.watch }),
    now: Date.now,
  });
  return {
    definition,
    store,
    async run(agent, input, { output, stopAfter, signal } = {}) {
      signal?.throwIfAborted();
      const request = agentRequest(definition, agent, input);
      const handle = await engine.start({ agent: request.agent, input: request.input, contract: output, stopAfter });
      signal?.addEventListener('abort', () => handle.cancel(String(signal.reason)), { once: true });
      return handle;
    },
    chat: (agent, talking = {}) => openChat(agent, talking, { cadre: definition, engine, store, warn, now: Date.now }),
    resume: async (run, resuming) => engine.resume(await store.find(run), resuming),
    async close() {
      await engine.close();
      await telemetry?.close();
    },
  };
}

interface StorePlace {
  readonly store: RunStore;
  /** Its folder, where `cadre runs cancel` and `cadre runs send` leave letters to its runs. */
  readonly dir?: string;
}

function placeOf(
  given: RunStore | string | undefined,
  { folder, config }: CadreDefinition,
  warn: (text: string) => void,
): StorePlace {
  if (given === 'memory') return { store: memoryStore() };
  if (typeof given === 'object') return { store: given };
  const dir = given ?? config.store.dir ?? join(folder, '.cadre');
  return { store: fileStore(dir, { fsync: config.store.fsync, warn }), dir };
}

const warnProcess = (text: string): void => process.emitWarning(text, 'CadreWarning');

export type { AgentDefinition, CadreConfig, CadreDefinition } from './agents/definition.ts';
export type { Diagnostic } from './agents/diagnostic.ts';
export { type CadreReading, readCadre } from './agents/load.ts';
export type { Approver } from './engine/assembly.ts';
export type { Watcher } from './engine/bus.ts';
export type { Chat, ChatOptions, SayOptions } from './engine/chat.ts';
export type { Engine, ResumeOptions, RunHandle, RunRequest } from './engine/engine.ts';
export type { RunEvent, RunId } from './journal/event.ts';
export type { RunLease, RunQuery, RunStore, RunSummary } from './journal/store.ts';
export { fileStore, type FileStoreOptions } from './journal/stores/file.ts';
export { memoryStore } from './journal/stores/memory.ts';
export type { History, HistoryMessage, ModelReply, ModelRequest, RunInput, Trigger, Verdict } from './kernel/effect.ts';
export { EXIT, type Fault, type FaultCode, FaultError, FAULTS, type OutcomeKind } from './kernel/fault.ts';
export type { Message, ToolCall, ToolResult, ToolSpec } from './kernel/message.ts';
export { type Answered, type Broken, isAnswered, isBroken, type Outcome, type RunOutcome } from './kernel/outcome.ts';
export type { JsonSchema, OutputContract, Violation } from './kernel/schema.ts';
export type { Spent, Usage } from './kernel/usage.ts';
export { type FunctionTool, tool } from './tools/functions.ts';
export type { Tool, ToolContext, ToolOutput } from './tools/tool.ts';
export { type AnswerCost, type Ledger, ledger, type LedgerLine, type Totals } from './views/ledger.ts';
export { type OpNode, opTree } from './views/op-tree.ts';
export { type Activity, type Progress, progressFold, type SessionProgress } from './views/progress.ts';
export { type RunReport, runReport } from './views/run-report.ts';
export { type Conversation, transcript } from './views/transcript.ts';
export type { LiveEvent } from './world/world.ts';

export {
  getFamilySharedContext,
  getParentSharedContext,
  getSharedContext,
  getSubagentRunStatus,
  storeSharedContext,
  type SubagentRunStatus,
  waitForSubagentRunCompletion,
} from './engine/spawned.ts';
