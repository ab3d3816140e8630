// The library: a folder of agents as an object that can be run. What the command line does, a program does with this.

import { type CadreDefinition, workspaceOf } from './definition/definition.ts';
import { loadCadre as loadDefinition } from './definition/load.ts';
import type { ResumeOptions, RunHandle } from './engine/contract.ts';
import type { Engine } from './engine/engine.ts';
import { inputWithFiles } from './engine/files/input-with-files.ts';
import type { InputFile } from './engine/files/take-files.ts';
import { followFork, forkRun } from './engine/history/fork.ts';
import type { ForkChanges } from './engine/history/fork-changes.ts';
import { type ReplayedRun, type ReplayOptions, replayRun } from './engine/history/replay-run.ts';
import { type RunChanges, runChanges } from './engine/history/run-changes.ts';
import { type UndoOptions, type UndoReport, undoRun } from './engine/history/undo.ts';
import { openEngine } from './engine/open.ts';
import { pinnedCadre, readAll, startOf } from './engine/pinned.ts';
import { handOver } from './engine/remote/hand-over.ts';
import { type HandedOverRun, spawnRun } from './engine/remote/spawn-run.ts';
import type { SpawnOptions } from './engine/remote/start-after.ts';
import { agentIn, inputFor } from './engine/request.ts';
import { storeNamed } from './engine/store-address.ts';
import { type Chat, type ChatOptions, openChat } from './engine/threads/chat.ts';
import type { RunId } from './journal/event.ts';
import type { RunStore } from './journal/store.ts';
import { fail } from './kernel/fault.ts';
import type { OpPath } from './kernel/path.ts';
import type { OutputContract } from './kernel/schema.ts';
import type { GivenProviders } from './models/provider-instance.ts';
import type { Pattern } from './patterns/record.ts';
import type { TeamStrategy } from './patterns/team-strategy.ts';
import { type Approver, nobodyThere } from './run/approver.ts';
import type { BroadcastHook } from './run/broadcast-hook.ts';
import { namesOfHost, refuseElsewhere } from './run/host-program.ts';
import { OWN_UPLOADS } from './run/name-files.ts';
import type { Tool } from './tools/tool.ts';
import { diffRuns, type RunDiff } from './views/report/diff.ts';

export interface CadreOptions {
  /** Functions of the program, made with `tool()`. Agents list them by name under `tools`. */
  readonly tools?: readonly Tool[];
  /**
   * Provider instances of the AI SDK, such as `createOpenAI()` returns. Agents name their models as `<name>/<model>`.
   * An instance replaces the provider of that name in cadre.yaml, whose `concurrency` and `trustUsage` still apply.
   */
  readonly providers?: GivenProviders;
  /**
   * A store, the folder of one, the address of one (`postgres://…`, `restate://…`), or `memory`. Default: what cadre.yaml says, else
   * `.cadre` in the folder. Runs in a folder or a database can be reached with `cadre runs cancel` and `cadre runs send`.
   */
  readonly store?: RunStore | string;
  /** Asked before a tool call that needs a person's approval. Default: the answer is no. */
  readonly approve?: Approver;
  /** Patterns of the program. Agents of the folder may use their keys. */
  readonly patterns?: readonly Pattern[];
  /** The way in which teams work together. Default: in cycles. It must decide by its arguments alone, for replays. */
  readonly strategy?: TeamStrategy;
  /** Sees everything that is said to a team before the team does, and may change or refuse it. */
  readonly onBroadcast?: BroadcastHook;
  /** The root folder of the `files` tools. Default: what a run recorded, else what cadre.yaml says, else the folder. */
  readonly workspace?: string;
  /** Gets what went wrong outside the runs. Default: a process warning. */
  readonly warn?: (text: string) => void;
}

export interface RunOptions {
  /** Texts, pictures (PNG, JPEG, GIF, WebP) and PDF files that go with the input: their bytes, or these as base64. */
  readonly files?: readonly InputFile[];
  /** The caller's contract: it binds the agent that answers. */
  readonly output?: OutputContract;
  /** The run ends after this stage of a chain, for debugging. */
  readonly stopAfter?: string;
  /** Aborting it cancels the run. */
  readonly signal?: AbortSignal;
}

interface ForkOptions extends ForkChanges {
  /** Goes on with the agents of this folder. Default: the texts that the run began with. */
  readonly dir?: string;
}

export interface Cadre {
  readonly definition: CadreDefinition;
  readonly store: RunStore;
  /** Everything that can be done with the runs of the store, also with those of other processes. */
  readonly engine: Engine;
  /** `input` is a text, or any JSON value for an agent that takes JSON. Rejects if the input does not fit. */
  run(agent: string, input: unknown, options?: RunOptions): Promise<RunHandle>;
  /** A conversation with an agent: a new thread, or an earlier one. */
  chat(agent: string, options?: ChatOptions): Promise<Chat>;
  /** Resumes a run that was broken off. A unique part of its id, or `last`, is enough. */
  resume(run: RunId, options?: ResumeOptions): Promise<RunHandle>;
  /** Runs the program again on what a run recorded, and says whether it is the same. Calls no model and no tool. */
  replay(run: RunId, options?: ReplayOptions): Promise<ReplayedRun>;
  /** A new run that takes over what another one did before the op `at`, and goes on live from there. */
  fork(run: RunId, at: OpPath, options?: ForkOptions): Promise<RunHandle>;
  /** Takes back what a run changed in files. Rejects with `undo/conflict` if a file cannot be restored; then none is. */
  undo(run: RunId, options?: UndoOptions): Promise<UndoReport>;
  /** The files that a run changed, with their diffs. */
  changes(run: RunId): Promise<RunChanges>;
  /** Tells where two runs part, and what came of each. */
  diff(left: RunId, right: RunId): Promise<RunDiff>;
  /**
   * Starts a run in a process of its own, which goes on when this one ends, or leaves it to the workers of a store in a
   * database. Needs a store that other processes can open.
   */
  spawn(agent: string, input: unknown, options?: SpawnOptions & Pick<RunOptions, 'files'>): Promise<HandedOverRun>;
  /** Closes what was opened: connections, tool servers. */
  close(): Promise<void>;
}

/**
 * Reads and checks the agents of a folder. Agents that can reach a file with errors are left out, and `warn` is told so;
 * if none is left, it rejects with a FaultError that holds every finding.
 */
export async function loadCadre(dir: string, options: CadreOptions = {}): Promise<Cadre> {
  const { tools = [], providers = {}, approve = nobodyThere, workspace, warn = warnProcess } = options;
  const { patterns = [], strategy, onBroadcast } = options;
  const host = { tools, providers, patterns, strategy, onBroadcast };
  const known = namesOfHost(host);
  const definition = await loadDefinition(dir, { ...known, workspace });
  if (definition.faulty !== undefined) warn(faultyText(definition.folder, definition.faulty));
  const { store, dir: folder, close } = await storeNamed(options.store, () => definition, warn);
  const taker = { uploads: store.uploads, owner: OWN_UPLOADS };
  const engine = await openEngine(definition, {
    store,
    dir: folder,
    approve,
    ...host,
    workspace,
    warn,
  });
  return {
    definition,
    store,
    engine,
    async run(agent, input, { output, stopAfter, signal, files } = {}) {
      signal?.throwIfAborted();
      const asked = agentIn(definition, agent);
      const request = files === undefined ? inputFor(asked, input) : await inputWithFiles(asked, input, files, taker);
      const run = await engine.start({ agent: asked.name, input: request, contract: output, stopAfter });
      const handle = engine.handle(run);
      signal?.addEventListener('abort', () => handle.interrupt('cancel', String(signal.reason)), { once: true });
      return handle;
    },
    chat: (agent, talking = {}) => openChat(agent, talking, { cadre: definition, engine, store, warn, now: Date.now }),
    async resume(asked, resuming) {
      const run = await store.find(asked);
      await engine.resume(run, resuming);
      return engine.handle(run);
    },
    replay: async (run, how) =>
      replayRun(await store.find(run), store, how, { patterns, strategy, knownTools: known.knownTools }),
    async fork(asked, at, { dir: other, ...changes } = {}) {
      const run = await store.find(asked);
      const start = startOf(await readAll(run, store));
      const cadre = other === undefined ? await pinnedCadre(start, store, known) : await loadDefinition(other, known);
      const texts = other === undefined ? 'pinned' : 'other';
      const forked = await forkRun({ run, at, ...changes }, { store, cadre, texts, known, now: Date.now });
      await engine.resume(forked.run);
      return followFork(forked, store, engine);
    },
    undo: async (run, how = {}) =>
      undoRun(await store.find(run), how, {
        store,
        storeDir: folder,
        within: [workspace ?? workspaceOf(definition)],
        now: Date.now,
      }),
    changes: async (run) => runChanges(await readAll(await store.find(run), store), store.blobs),
    diff: async (left, right) =>
      diffRuns(await readAll(await store.find(left), store), await readAll(await store.find(right), store)),
    async spawn(asked, input, { files, ...wish } = {}) {
      if (folder === undefined && store.fleet === undefined)
        return fail(
          'usage',
          'spawn() needs a store that another process can open: loadCadre(dir, { store: <folder, postgres://… or restate://…> }).',
        );
      const agent = agentIn(definition, asked);
      refuseElsewhere(definition, host);
      const request = await inputWithFiles(agent, input, files, taker);
      return spawnRun(
        { agent, input: request, ...wish },
        { store, handOver: handOver({ store, dir: folder, engine }) },
      );
    },
    async close() {
      await engine.close();
      await close?.();
    },
  };
}

const faultyText = (folder: string, faulty: ReadonlyMap<string, string>): string =>
  `Agents of ${folder} that cannot run: ${[...faulty].map(([name, file]) => `${name} (errors in ${file})`).join(', ')}. ` +
  `See: cadre check ${folder}`;

const warnProcess = (text: string): void => process.emitWarning(text, 'CadreWarning');

export type { AgentDefinition, CadreDefinition } from './definition/definition.ts';
export type { Diagnostic } from './definition/diagnostic.ts';
export { type CadreReading, readCadre } from './definition/load.ts';
export type { RunHandle } from './engine/contract.ts';
export type { Engine } from './engine/engine.ts';
export type { InputFile } from './engine/files/take-files.ts';
export {
  getFamilySharedContext,
  getParentSharedContext,
  getSharedContext,
  getSubagentRunStatus,
  storeSharedContext,
  waitForSubagentRunCompletion,
} from './engine/remote/spawned.ts';
export type { Chat } from './engine/threads/chat.ts';
export type { RunEvent, RunId } from './journal/event.ts';
export type { RunQuery, RunStore, RunSummary } from './journal/store.ts';
export { previewOf } from './kernel/approval.ts';
export type { ControlMessage } from './kernel/control.ts';
export {
  type Effect,
  type ModelReply,
  type ModelRequest,
  parallel,
  parallelUntil,
  perform,
  type Routine,
} from './kernel/effect.ts';
export { EXIT, FAULTS, type Fault, type FaultCode, FaultError } from './kernel/fault.ts';
export {
  type AnsweredOutcome,
  type BrokenOutcome,
  isAnswered,
  isBroken,
  type Outcome,
  type RunOutcome,
} from './kernel/outcome.ts';
export { answerProblem, type PersonQuestion, questionIn } from './kernel/person.ts';
export type { JsonSchema, OutputContract } from './kernel/schema.ts';
export type { SessionRoutine } from './kernel/session/session-spec.ts';
export type { AiSdkProvider } from './models/provider-instance.ts';
export type { KeySpec, PatternForm } from './patterns/key-form.ts';
export type { PatternContext } from './patterns/pattern.ts';
export { configOf, type Pattern, triggerOf } from './patterns/record.ts';
export { outcomeOf } from './patterns/run-agent.ts';
export { sameRequest } from './patterns/sections.ts';
export { cycles } from './patterns/team/cycles.ts';
export { settleMember } from './patterns/team/orchestrator.ts';
export type { TeamAtWork, TeamStrategy } from './patterns/team-strategy.ts';
export { type Approver, fromElsewhere } from './run/approver.ts';
export type { BroadcastHook } from './run/broadcast-hook.ts';
export type { Watcher } from './run/bus.ts';
export { fileStore } from './stores/file/file-store.ts';
export { memoryStore } from './stores/memory.ts';
export { type FunctionTool, type SchemaTool, tool } from './tools/functions.ts';
export type { Tool, ToolContext } from './tools/tool.ts';
export { type ChangedFile, changedFiles, changesOf } from './views/changes.ts';
export { type Ledger, type LedgerLine, ledger } from './views/costs/ledger.ts';
export { type Progress, progressFold, type SessionProgress } from './views/progress/progress.ts';
export { type RunReport, runReport } from './views/report/run-report.ts';
export { type Conversation, transcript } from './views/talk/transcript.ts';
export { type OpNode, opTree } from './views/tree/op-tree.ts';
export type { LiveEvent } from './world/world.ts';
