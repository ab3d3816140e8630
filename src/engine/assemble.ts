// The composition root: puts models and tools around a checked cadre. Nothing is opened before it is used.

import { readFile } from 'node:fs/promises';
import type { AgentDefinition, CadreDefinition, Templated } from '../agents/definition.ts';
import { type Environment, readEnvironment, resolveTemplate } from '../agents/variables.ts';
import { callModel } from '../models/failover.ts';
import { openRegistry, type Registry } from '../models/registry.ts';
import { filesSource } from '../tools/files/source.ts';
import type { Tool, ToolSource } from '../tools/tool.ts';
import { isMeantBy, openToolbox, type Toolbox } from '../tools/toolbox.ts';
import type { AgentTools, Assembly } from './assembly.ts';

export interface AssembleOptions {
  /** Functions of the host program, as tools. */
  readonly tools?: readonly Tool[];
  /** What `files` is rooted at. Default: the cadre's folder. */
  readonly workspace?: string;
}

export function assemble(cadre: CadreDefinition, options: AssembleOptions = {}): Assembly {
  const environment = lazily(() => readEnvironment(cadre.folder));
  const registry = openModels(cadre, environment);
  const toolbox = openToolbox(sourceMakers(cadre, options), options.tools ?? []);
  const perAgent = new Map<string, Promise<AgentTools>>();
  return {
    cadre,
    callModel: (request, listener, signal) =>
      callModel(
        request,
        {
          resolve: (name) => registry.resolve(name),
          onDelta: (delta) =>
            delta.type === 'call-delta'
              ? listener.delta('call', delta.text, delta.name)
              : listener.delta(delta.type === 'text-delta' ? 'text' : 'reasoning', delta.text),
          onAttempt: (failed) => listener.attempt(failed),
        },
        signal,
      ),
    contextWindow: (agent) => smallestWindow(agent, registry),
    toolsOf(agent) {
      const known = perAgent.get(agent.name) ?? openTools(agent, toolbox);
      perAgent.set(agent.name, known);
      known.catch(() => perAgent.delete(agent.name)); // whoever waits sees the fault; the next one tries again
      return known;
    },
    unusedSteps: () => registry.unusedSteps().map(({ file, line }) => `${file}:${line}`),
    async close() {
      await Promise.all([registry.close(), toolbox.close()]);
    },
  };
}

function openModels(cadre: CadreDefinition, environment: () => Environment): Registry {
  return openRegistry<Templated>(cadre.config, {
    env: (name) => environment()[name],
    fill: (value) => resolveTemplate(value, environment()),
    read: (file) => readFile(file, 'utf8'),
  });
}

function sourceMakers(cadre: CadreDefinition, options: AssembleOptions): ReadonlyMap<string, () => ToolSource> {
  const makers = new Map<string, () => ToolSource>();
  makers.set('files', () => filesSource(options.workspace ?? cadre.folder));
  return makers;
}

async function openTools(agent: AgentDefinition, toolbox: Toolbox): Promise<AgentTools> {
  if (agent.tools.length === 0) return { tools: new Map(), approve: [] };
  const boxed = await toolbox.resolve(agent.tools);
  return {
    tools: new Map(boxed.map(({ tool }) => [tool.spec.name, tool])),
    approve: boxed
      .filter((one) => agent.approve.some((entry) => isMeantBy(entry, one)))
      .map(({ tool }) => tool.spec.name),
  };
}

/** The window that every model of the agent has, so that any of them can take over. */
async function smallestWindow(agent: AgentDefinition, registry: Registry): Promise<number | undefined> {
  const windows: number[] = [];
  for (const name of agent.models) {
    const resolved = await registry.resolve(name);
    if (resolved.ok && resolved.value.contextWindow !== undefined) windows.push(resolved.value.contextWindow);
  }
  return windows.length === 0 ? undefined : Math.min(...windows);
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
