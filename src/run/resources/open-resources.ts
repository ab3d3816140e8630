// Puts models and tools around a checked cadre. Nothing is opened before it is used.

import { readScript } from '../../base/disk/regular.ts';
import { isBuiltIn } from '../../definition/built-in-tools.ts';
import {
  type AgentDefinition,
  type CadreConfig,
  type CadreDefinition,
  type TemplatedText,
  workspaceOf,
} from '../../definition/definition.ts';
import { reachableFrom } from '../../definition/reach.ts';
import {
  type Environment,
  readEnvironment,
  resolveTemplate,
  resolveTemplates,
} from '../../definition/read/variables.ts';
import type { AgentName } from '../../kernel/effect.ts';
import { type Fault, FaultError, faultOf } from '../../kernel/fault.ts';
import { callModel } from '../../models/failover.ts';
import type { GivenProviders } from '../../models/provider-instance.ts';
import { type ModelRegistry, openModelRegistry } from '../../models/registry/model-registry.ts';
import { COMMAND_TOOL } from '../../patterns/repeat/command.ts';
import { secretsOf } from '../../secrets/configured.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { openWorkspace } from '../../tools/files/workspace.ts';
import type { SignInVault } from '../../tools/mcp/sign-in/record.ts';
import type { Tool } from '../../tools/tool.ts';
import { openToolbox, type Toolbox } from '../../tools/toolbox.ts';
import { environmentOf, sourcesFor } from '../helper/job.ts';
import { ModelProcess } from '../helper/model-process.ts';
import { type Command, ownCommand } from '../own-command.ts';
import type { CadreResources } from '../resources.ts';
import { resolveWithin, sightOfList, smallestWindow } from './agent-models.ts';
import { openAgentTools, reservedFor } from './agent-tools.ts';
import { filesView } from './files-view.ts';
import type { FleetSlot } from './gated.ts';
import { ownFunctions } from './own-functions.ts';
import { rulesFor } from './ruled-tools.ts';
import { sourceMakers } from './tool-sources.ts';

export function openResources(
  cadre: CadreDefinition,
  options: {
    /** Functions of the host program, as tools. */
    readonly tools?: readonly Tool[];
    /** Providers of the host program, by the names that models are called by. */
    readonly providers?: GivenProviders;
    /** The root of `files`. Default: the one in cadre.yaml, else the cadre's folder. */
    readonly workspace?: string | undefined;
    /** The folder that runs are kept in, which `files` does not show. */
    readonly store?: string | undefined;
    /** Keeps the sign-ins of its servers. */
    readonly signIns?: SignInVault | undefined;
    /** Slots of providers that other machines share too. */
    readonly slot?: FleetSlot | undefined;
    /** The command that starts a helper's process. Default: the built command line of this package. */
    readonly helperCommand?: Command;
  } = {},
): CadreResources {
  const environment = lazily(() => readEnvironment(cadre.folder));
  const registry = openModels(cadre, environment, options.providers);
  const fill = (value: TemplatedText): string => resolveTemplate(value, environment());
  const workspace = options.workspace ?? workspaceOf(cadre);
  const files = filesView(cadre, workspace, options.store);
  const secrets = secretsOf(cadre);
  const makers = sourceMakers(cadre, files, { fill, secrets, vault: options.signIns });
  const toolbox = openToolbox(makers, options.tools ?? [], ownFunctions(cadre));
  const ready = new Map<string, Promise<void> | undefined>();
  return {
    ...openAgentTools(toolbox, cadre.config),
    secrets,
    callModel: (request, listener, signal) =>
      callModel(
        request,
        { resolve: (name) => resolveWithin(name, registry, listener, options.slot), listener },
        signal,
      ),
    ready(agent) {
      if (ready.has(agent)) return ready.get(agent);
      const finding = allReady(cadre, agent, registry, toolbox);
      ready.set(agent, finding);
      finding.then(
        () => ready.set(agent, undefined),
        () => ready.delete(agent), // those that wait get the fault; the next call tries again
      );
      return finding;
    },
    contextWindow: (agent) => smallestWindow(agent, registry),
    sight: ({ models }) => sightOfList(models, registry),
    async commandTool(agent) {
      const [one] = await toolbox.resolve([COMMAND_TOOL]);
      if (one === undefined) throw new Error(`${COMMAND_TOOL} is not offered`);
      return { tool: one.tool, rules: rulesFor(agent, one), address: one.address };
    },
    workspace: () => openWorkspace(workspace, files.hidden),
    openProcess: (process) =>
      openProcess(process, {
        config: cadre.config,
        command: options.helperCommand ?? ownCommand('subagent-worker'),
        environment: environment(),
        workspace,
        redactor: secrets,
      }),
    unusedSteps: () => registry.unusedSteps().map(({ file, line }) => `${file}:${line}`),
    async close() {
      await Promise.all([registry.close(), toolbox.close()]);
    },
  };
}

/** The process in which the models of a helper are called. It gets the keys of these, and no other secret. */
function openProcess(
  { agent, correlation, calls, environment: more }: Parameters<NonNullable<CadreResources['openProcess']>>[0],
  around: {
    readonly config: CadreConfig;
    readonly command: Command | undefined;
    readonly environment: Environment;
    readonly workspace: string;
    readonly redactor: Secrets;
  },
): ModelProcess {
  const { config, command, environment, workspace, redactor } = around;
  const sources = sourcesFor(agent, config);
  const env = { ...environmentOf(agent, sources, environment), ...more };
  return new ModelProcess({
    command: command && { ...command, env, cwd: workspace },
    correlation,
    job: { sources },
    capBytes: (calls + 4) * BYTES_OF_A_CALL,
    redactor,
  });
}

/** A reply comes to us in pieces, each in an envelope. */
const BYTES_OF_A_CALL = 8_388_608;

function openModels(
  cadre: CadreDefinition,
  environment: () => Environment,
  given: GivenProviders | undefined,
): ModelRegistry {
  return openModelRegistry<TemplatedText>(cadre.config, {
    env: (name) => environment()[name],
    fill: (value) => resolveTemplate(value, environment()),
    fillOptions: (options) => resolveTemplates(options, environment()) as object,
    read: readScript,
    ...(given && { given }),
  });
}

/**
 * Finds a missing key before anything is spent: each agent needs one model of its list that can be called. Also finds
 * a function that a file should have and does not have. Servers are asked for their tools when an agent begins.
 */
async function allReady(
  cadre: CadreDefinition,
  agent: AgentName,
  registry: ModelRegistry,
  toolbox: Toolbox,
): Promise<void> {
  for (const name of reachableFrom(cadre, agent)) {
    await functionsAreThere(cadre.agents.get(name), toolbox);
    const faults: Fault[] = [];
    for (const model of cadre.agents.get(name)?.models ?? []) {
      const resolved = await registry.resolve(model);
      if (resolved.ok) break;
      faults.push(resolved.fault);
    }
    const [first] = faults;
    if (first !== undefined && faults.length === cadre.agents.get(name)?.models.length) {
      throw new FaultError({ ...first, message: `${name} cannot run: ${first.message}`, stage: name });
    }
  }
}

/** All but the tools of Cadre's own sources, of servers and of REST declarations. */
const isFunction = (tool: string): boolean =>
  !/^(?:mcp:|rest:)/.test(tool) && !isBuiltIn(tool.split('/', 1)[0] ?? tool);

async function functionsAreThere(agent: AgentDefinition | undefined, toolbox: Toolbox): Promise<void> {
  const functions = agent?.tools.filter(isFunction) ?? [];
  if (agent === undefined || functions.length === 0) return;
  try {
    await toolbox.resolve(functions, { reserved: reservedFor(agent) });
  } catch (thrown) {
    const own = faultOf(thrown);
    throw new FaultError({ ...own, message: `${agent.file}, tools: ${own.message}`, stage: agent.name });
  }
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
