// Cadres made by hand for tests, and a model that is a plain function of its request.

import type { AgentDefinition, CadreDefinition } from '../../src/definition/definition.ts';
import type { RunRequest } from '../../src/engine/contract.ts';
import { readAll } from '../../src/engine/pinned.ts';
import type { RunEvent } from '../../src/journal/event.ts';
import type { RunStore } from '../../src/journal/store.ts';
import type { ModelReply, ModelRequest, SettledResult } from '../../src/kernel/effect.ts';
import { type FaultCode, fault, faultOf } from '../../src/kernel/fault.ts';
import type { Sight } from '../../src/kernel/file-ref.ts';
import type { Outcome } from '../../src/kernel/outcome.ts';
import type { TeamStrategy } from '../../src/patterns/team-strategy.ts';
import type { Approver } from '../../src/run/approver.ts';
import { NO_HOST } from '../../src/run/host-program.ts';
import { rulesFor } from '../../src/run/resources/ruled-tools.ts';
import type { CadreResources } from '../../src/run/resources.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { openWorkspace } from '../../src/tools/files/workspace.ts';
import { shellSource } from '../../src/tools/shell/source.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { nativeSignal } from '../../src/world/abort.ts';
import { engineOf, type HandledEngine } from './handled.ts';
import { type PatternSketch, usesOf } from './patterns.ts';

export type AgentSketch = Partial<Omit<AgentDefinition, 'patterns'>> & PatternSketch & { readonly name: string };

export const agent = (sketch: AgentSketch): AgentDefinition => ({
  file: `${sketch.name}.md`,
  text: '',
  system: `You are ${sketch.name}.`,
  description: `The ${sketch.name}.`,
  models: ['test/model'],
  settings: {},
  tools: [],
  approve: [],
  trust: [],
  projectFiles: [],
  deny: [],
  input: { format: 'any' },
  output: { format: 'markdown' },
  outputDeclared: false,
  maxTurns: 10,
  maxToolCallsPerTurn: 10,
  maxRetries: 1,
  modelTimeoutMs: 60_000,
  toolTimeoutMs: 60_000,
  ...sketch,
  patterns: usesOf(sketch),
});

export const cadre = (...sketches: readonly AgentSketch[]): CadreDefinition => ({
  folder: '/nowhere',
  config: {
    providers: {},
    models: {},
    limits: { maxDepth: 8, maxTurns: 100, concurrency: 16, deny: [] },
    mcpServers: {},
    restTools: {},
    store: { fsync: 'never' },
  },
  agents: new Map(sketches.map((sketch) => [sketch.name, agent(sketch)])),
  texts: new Map(),
});

export type Reply =
  | string
  | { readonly say?: string; readonly calls: readonly { readonly name: string; readonly args: unknown }[] }
  | { readonly fault: FaultCode };

/** Answers a request; may wait for its signal. */
export type Model = (request: ModelRequest, signal: AbortSignal) => Reply | Promise<Reply>;

export const call = (name: string, args: unknown): Reply => ({ calls: [{ name, args }] });

export interface Bench {
  readonly store: RunStore;
  readonly engine: HandledEngine;
  /** Every model call that was really made, by session and turn. */
  readonly calls: string[];
  /** Those of them that nobody cancelled. */
  readonly answers: string[];
}

export interface BenchOptions {
  readonly store?: RunStore;
  readonly tools?: readonly Tool[];
  /** The stand-in for the model. */
  readonly callModel?: CadreResources['callModel'];
  /** The stand-in for the tools above. */
  readonly toolsOf?: CadreResources['toolsOf'];
  readonly contextWindow?: number;
  readonly sight?: Sight;
  readonly workspace?: string;
  /** Commands that judge answers run here, without a sandbox. */
  readonly shell?: string;
  readonly now?: () => number;
  readonly strategy?: TeamStrategy;
  /** Default: nobody is there. */
  readonly approve?: Approver;
}

export function bench(definition: CadreDefinition, model: Model, options: BenchOptions = {}): Bench {
  const store = options.store ?? memoryStore();
  const calls: string[] = [];
  const answers: string[] = [];
  const tools = new Map((options.tools ?? []).map((tool) => [tool.spec.name, tool]));
  const openResources = (): CadreResources => ({
    async callModel(request, listener, stop) {
      if (options.callModel !== undefined) return options.callModel(request, listener, stop);
      const signal = nativeSignal(stop);
      calls.push(`${request.session}#${request.turn}`);
      const reply = settledReply(request, await model(request, signal), signal);
      if (reply.ok || reply.fault.code !== 'cancelled') answers.push(`${request.session}#${request.turn}`);
      return reply;
    },
    contextWindow: async () => options.contextWindow,
    sight: () => options.sight,
    toolsOf:
      options.toolsOf ??
      (async (of) => ({
        tools: new Map([...tools].filter(([name]) => of.tools.includes(name))),
        approve: of.approve,
      })),
    ...(options.shell !== undefined && { commandTool: commandsIn(options.shell) }),
    workspace: () => openWorkspace(options.workspace ?? definition.folder),
    unusedSteps: () => [],
    async close() {},
  });
  const engine = engineOf(definition, {
    store,
    openResources,
    ...(options.approve && { approve: options.approve }),
    ...(options.strategy && { host: { ...NO_HOST, strategy: options.strategy } }),
    now: options.now ?? Date.now,
  });
  return { store, engine, calls, answers };
}

function commandsIn(workspace: string): NonNullable<CadreResources['commandTool']> {
  const source = shellSource({ sandbox: 'off', network: false }, { workspace, guarded: [] });
  return async (of) => {
    const [tool] = await source.tools();
    if (tool === undefined) throw new Error('shell offers no tool');
    const address = 'shell/run_command';
    return { tool, address, rules: rulesFor(of, { tool, address }) };
  };
}

function settledReply(request: ModelRequest, reply: Reply, signal: AbortSignal): SettledResult<ModelReply> {
  if (signal.aborted) return { ok: false, fault: faultOf(signal.reason) };
  if (typeof reply === 'object' && 'fault' in reply)
    return { ok: false, fault: fault(reply.fault, `${request.agent} got ${reply.fault}`) };
  const text = typeof reply === 'string' ? reply : (reply.say ?? '');
  const made = typeof reply === 'string' ? [] : reply.calls;
  const calls = made.map(({ name, args }, index) => ({ id: `c${request.turn}-${index}`, name, arguments: args }));
  const spent = { model: 'test/model', usage: { input: 10, output: 5 }, usd: 0.001 };
  return { ok: true, value: { message: { role: 'assistant', text, calls }, spent } };
}

export interface Finished {
  readonly outcome: Outcome;
  readonly events: readonly RunEvent[];
  readonly run: string;
}

export async function finish({ engine, store }: Bench, request: RunRequest): Promise<Finished> {
  const handle = await engine.start(request);
  const outcome = await handle.outcome();
  return { outcome, events: await readAll(handle.run, store), run: handle.run };
}

/** A store that holds the first events of a run, as a crash would have left it. */
export async function brokenOff(events: readonly RunEvent[], count: number, run: string): Promise<RunStore> {
  const store = memoryStore();
  const lease = await store.claim(run, 0);
  await lease.append(events.slice(0, count));
  await lease.release();
  return store;
}

/** The tools that may be called now: on the last turn these are the exits. */
export const callableIn = ({ tools, callable = tools.map(({ name }) => name) }: ModelRequest): readonly string[] =>
  callable;

export const lastText = (request: ModelRequest): string => {
  const last = request.messages.at(-1);
  return last === undefined ? '' : last.role === 'tool' ? last.result.text : last.text;
};
