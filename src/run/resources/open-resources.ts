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
import type { AgentName, SettledResult } from '../../kernel/effect.ts';
import { type Fault, FaultError, fault, faultOf } from '../../kernel/fault.ts';
import { FILE_KINDS, type Sight } from '../../kernel/file-ref.ts';
import { ASK_PERSON_ADDRESS } from '../../kernel/person.ts';
import { FINAL_REPORT } from '../../kernel/session/final-report.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { callModel } from '../../models/failover.ts';
import type { GatedModel } from '../../models/gate.ts';
import type { ResolvedModel } from '../../models/provider.ts';
import type { GivenProviders } from '../../models/provider-instance.ts';
import { type ModelRegistry, openModelRegistry } from '../../models/registry/model-registry.ts';
import { CATALOG, reservedBy } from '../../patterns/catalog.ts';
import { COMMAND_TOOL } from '../../patterns/repeat/command.ts';
import { parseCallRules } from '../../rules/call-rule.ts';
import { secretsOf } from '../../secrets/configured.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { openWorkspace } from '../../tools/files/workspace.ts';
import type { SignInVault } from '../../tools/mcp/sign-in/record.ts';
import { READ_RESULT } from '../../tools/read-result.ts';
import { USE_SKILL } from '../../tools/skills/use-skill.ts';
import type { Tool } from '../../tools/tool.ts';
import { type BoxedTool, isMeantBy, openToolbox, type Toolbox, unknownToolText } from '../../tools/toolbox.ts';
import { environmentOf, sourcesFor } from '../helper/job.ts';
import { ModelProcess } from '../helper/model-process.ts';
import { type Command, ownCommand } from '../own-command.ts';
import type { AgentTools, CadreResources, ModelListener } from '../resources.ts';
import { usesServers } from '../uses-servers.ts';
import { changesNothing } from './changes-nothing.ts';
import { filesView } from './files-view.ts';
import { type FleetSlot, gatedModel } from './gated.ts';
import { ownFunctions } from './own-functions.ts';
import { isEntryDenied, ruledTools, rulesFor, unknownArguments, unknownDenied } from './ruled-tools.ts';
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
  const perAgent = new Map<string, AgentTools | Promise<AgentTools>>();
  const latest = new Map<string, { readonly revision: number; readonly tools: AgentTools }>();
  /** The tools of an MCP server may change at any time; its source knows when they do. */
  const openChanging = async (agent: AgentDefinition, signal: StopSignal | undefined): Promise<AgentTools> => {
    const revision = toolbox.revision(agent.tools);
    const tools = await openTools(agent, { toolbox, config: cadre.config }, signal);
    if (revision >= (latest.get(agent.name)?.revision ?? 0)) latest.set(agent.name, { revision, tools });
    return tools;
  };
  const ready = new Map<string, Promise<void> | undefined>();
  return {
    secrets,
    callModel: (request, listener, signal) =>
      callModel(
        request,
        {
          resolve: (name) => resolveWithin(name, registry, listener, options.slot),
          listener,
          bytesOf: listener.bytesOf,
        },
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
    latestTools(agent, signal) {
      const known = latest.get(agent.name);
      if (known === undefined || known.revision === toolbox.revision(agent.tools)) return known?.tools;
      return openChanging(agent, signal);
    },
    toolsOf(agent, signal) {
      if (usesServers(agent)) return openChanging(agent, signal);
      const known = perAgent.get(agent.name);
      if (known !== undefined) return known;
      const opening = openTools(agent, { toolbox, config: cadre.config });
      perAgent.set(agent.name, opening);
      opening.then(
        (tools) => perAgent.set(agent.name, tools),
        () => perAgent.delete(agent.name), // those that wait get the fault; the next call tries again
      );
      return opening;
    },
    async commandTool(agent) {
      const [one] = await toolbox.resolve([COMMAND_TOOL]);
      if (one === undefined) throw new Error(`${COMMAND_TOOL} is not offered`);
      return { tool: one.tool, rules: rulesFor(agent, one), address: one.address };
    },
    openedTools({ name }) {
      const known = latest.get(name)?.tools ?? perAgent.get(name);
      return known instanceof Promise ? undefined : known;
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

/** The model that a name stands for: in the process of a helper, under the budget and its provider's limit. */
async function resolveWithin(
  name: string,
  registry: ModelRegistry,
  listener: ModelListener,
  slot: FleetSlot | undefined,
): Promise<SettledResult<GatedModel>> {
  return behindGates(isolatedModel(await registry.resolve(name), name, listener), listener, slot);
}

function isolatedModel(
  resolved: SettledResult<ResolvedModel>,
  name: string,
  { isolation }: ModelListener,
): SettledResult<ResolvedModel> {
  if (!resolved.ok || isolation === undefined) return resolved;
  const { provider } = resolved.value;
  return { ok: true, value: { ...resolved.value, provider: isolation.provider(provider.id, name) } };
}

function behindGates(
  resolved: SettledResult<ResolvedModel>,
  listener: ModelListener,
  slot: FleetSlot | undefined,
): SettledResult<GatedModel> {
  const { runBudget } = listener;
  if (!resolved.ok || (runBudget === undefined && resolved.value.limits === undefined)) return resolved;
  return {
    ok: true,
    value: gatedModel(resolved.value, { runBudget, waiting: (names, work) => listener.waiting(names, work), slot }),
  };
}

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

/** The names of the tools that a session may have from its patterns. */
const RESERVED = [FINAL_REPORT, READ_RESULT.name, ...reservedBy(CATALOG)];

/** Also that of skills, and those of the patterns that a program brings, if the agent declares them. */
export function reservedFor({ patterns, skills }: AgentDefinition): readonly string[] {
  if (patterns.length === 0 && skills === undefined) return RESERVED;
  const own = skills === undefined ? RESERVED : [...RESERVED, USE_SKILL.name];
  return [...new Set([...own, ...reservedBy(patterns.map(({ pattern }) => pattern))])];
}

async function openTools(
  agent: AgentDefinition,
  { toolbox, config }: { readonly toolbox: Toolbox; readonly config: CadreConfig },
  signal?: StopSignal,
): Promise<AgentTools> {
  if (agent.tools.length === 0) return { tools: new Map(), approve: [] };
  const missing: string[] = [];
  const named = agent.tools.filter((entry) => !isEntryDenied(entry, agent));
  const boxed = await toolbox.resolve(named, {
    reserved: reservedFor(agent),
    ...(signal && { signal }),
    leaveOut: ({ message }) => void missing.push(`tools: ${message}`),
  });
  const addresses = boxed.map(({ address }) => address);
  for (const { name } of parseCallRules(agent.approve)) {
    const isThere = boxed.some((one) => isMeantBy(name, one)) || isEntryDenied(name, agent);
    if (!isThere) missing.push(`approve: ${unknownToolText(name, addresses)}`);
  }
  for (const name of unknownDenied(agent, boxed, config)) missing.push(`deny: ${unknownToolText(name, addresses)}`);
  for (const { key, entry, why } of unknownArguments(agent, boxed))
    missing.push(`${key}: "${entry}": ${why.message}. ${why.help}`);
  return {
    ...ruledTools(agent, boxed),
    ...circleMarks(agent, boxed, config),
    ...(missing.length > 0 && { missing: fault('tool/unknown', `${agent.file}, ${missing.join('\n')}`) }),
  };
}

/** The guard against circles has to know these of them. */
function circleMarks(
  { stuck }: AgentDefinition,
  boxed: readonly BoxedTool[],
  config: CadreConfig,
): Pick<AgentTools, 'readOnly' | 'uncounted'> {
  const named = (meant: (one: BoxedTool) => boolean): readonly string[] =>
    boxed.filter(meant).map(({ tool }) => tool.spec.name);
  const readOnly = named((one) => changesNothing(one, config) === true);
  const uncounted = named(
    (one) => one.address === ASK_PERSON_ADDRESS || stuck?.except.some((entry) => isMeantBy(entry, one)) === true,
  );
  return { ...(readOnly.length > 0 && { readOnly }), ...(uncounted.length > 0 && { uncounted }) };
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

/** The smallest window of the agent's models, so that any of them can take over. */
async function smallestWindow(agent: AgentDefinition, registry: ModelRegistry): Promise<number | undefined> {
  const windows: number[] = [];
  for (const name of agent.models) {
    const resolved = await registry.resolve(name);
    if (resolved.ok && resolved.value.contextWindow !== undefined) windows.push(resolved.value.contextWindow);
  }
  return windows.length === 0 ? undefined : Math.min(...windows);
}

/** The files that any of them sees: the one that can is asked. */
function sightOfList(models: readonly string[], registry: ModelRegistry): Sight | undefined {
  const found = models.flatMap((name) => registry.sight(name) ?? []).filter(({ sees }) => sees.length > 0);
  if (found.length === 0) return undefined;
  const sees = FILE_KINDS.filter((kind) => found.some((one) => one.sees.includes(kind)));
  return { sees, rules: [...new Set(found.map(({ rule }) => rule))] };
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
