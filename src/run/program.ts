// From an agent's file to the routine that runs it: its session, with its tools, inside its patterns.

import type { AgentDefinition, CadreDefinition } from '../definition/definition.ts';
import type { AgentName, SettledResult } from '../kernel/effect.ts';
import { FaultError } from '../kernel/fault.ts';
import { session } from '../kernel/session/session.ts';
import type { SessionSpec } from '../kernel/session/session-spec.ts';
import { plainTool, plainTools, type SessionTool } from '../kernel/session/session-tool.ts';
import { isHelper, ownerOf } from '../kernel/subagent.ts';
import { advisorsPattern } from '../patterns/advisors/pattern.ts';
import { agentTool } from '../patterns/agents/agent-tool.ts';
import { agentsPattern } from '../patterns/agents/pattern.ts';
import { askClarification, dismiss } from '../patterns/chat/clarification.ts';
import { chatPattern } from '../patterns/chat/pattern.ts';
import { NO_CHILDREN, openChildren } from '../patterns/children.ts';
import { compose, wrappersOf } from '../patterns/compose.ts';
import type { AgentCard, PatternContext } from '../patterns/pattern.ts';
import { quoteRequest } from '../patterns/quote-request.ts';
import { configOf, type PatternUse } from '../patterns/record.ts';
import { spawnPattern } from '../patterns/spawn/pattern.ts';
import { withSpawnTools } from '../patterns/spawn/spawning.ts';
import { withSharedContext } from '../patterns/spawn/with-shared-context.ts';
import { subagentPattern } from '../patterns/subagent/pattern.ts';
import { subagentTool } from '../patterns/subagent/tool.ts';
import { teamSeat } from '../patterns/team/team-seat.ts';
import { READ_RESULT } from '../tools/read-result.ts';
import type { AgentCall, Programs } from '../world/stack/nested.ts';
import type { Instance } from '../world/state/sessions.ts';
import type { AgentFacts } from './agent-facts.ts';
import type { DrivenRun } from './driven-run.ts';
import { helperInstance, limitsOf } from './helper-agent.ts';
import { type FactsFor, shownFacts } from './recorded-facts.ts';

/** What every run of one agent shares. */
interface AgentProgram {
  readonly agent: AgentDefinition;
  readonly brief: SessionSpec;
  /** Without the tools that are made for every session, because they depend on its open children. */
  readonly tools: readonly SessionTool[];
  /** Whether it asks an agent that stays open. */
  readonly chats: boolean;
  /** Reads the handles in what a spawned run is given, for an agent that has no such tool otherwise. */
  readonly reader: SessionTool | undefined;
  /** The patterns around its session, from the inside out. */
  readonly wrappers: readonly PatternUse[];
}

/** What all agents of one run share. */
interface RunContext {
  readonly run: DrivenRun;
  readonly teams: PatternContext['teams'];
  card(name: AgentName): AgentCard;
  charter(team: AgentName): string;
}

export function programs(run: DrivenRun, factsFor: FactsFor): Programs {
  const { definition } = run;
  const runContext: RunContext = {
    run,
    teams: new Map(),
    card: (name) => cardOf(definitionOf(name, definition)),
    charter: (team) => definitionOf(team, definition).system,
  };
  const facts = new Map<AgentName, AgentFacts>();
  const shown = shownFacts(factsFor);
  return (call) => {
    const agent = definitionOf(ownerOf(call.agent), definition);
    const known = facts.get(agent.name);
    if (known !== undefined) return ready(agent, known, call, runContext);
    const build = (found: AgentFacts): SettledResult<Instance> => {
      facts.set(agent.name, found);
      return ready(agent, found, call, runContext);
    };
    const found = shown(agent, call);
    return found instanceof Promise ? found.then(build).catch(faultOrThrow) : build(found);
  };
}

const ready = (
  agent: AgentDefinition,
  facts: AgentFacts,
  call: AgentCall,
  context: RunContext,
): SettledResult<Instance> => ({
  ok: true,
  value: isHelper(call.agent)
    ? helperInstance(agent, facts, context.run)
    : instantiate(programOf(agent, facts, context), call, context),
});

/** If an agent cannot be made ready, its run fails. A failure of the journal ends the whole run. */
function faultOrThrow(thrown: unknown): SettledResult<never> {
  if (thrown instanceof FaultError && !thrown.fault.code.startsWith('journal/')) {
    return { ok: false, fault: thrown.fault };
  }
  throw thrown;
}

function definitionOf(name: AgentName, cadre: CadreDefinition): AgentDefinition {
  const agent = cadre.agents.get(name);
  if (agent === undefined) throw new Error(`the checked cadre has no agent ${name}`);
  return agent;
}

const cards = new WeakMap<AgentDefinition, AgentCard>();

/** The same card for the same file, whichever run asks. */
function cardOf(agent: AgentDefinition): AgentCard {
  const known = cards.get(agent) ?? {
    name: agent.name,
    description: agent.description ?? '',
    ...(agent.usage !== undefined && { usage: agent.usage }),
    input: agent.input,
    chat: configOf(agent, chatPattern) === true,
  };
  cards.set(agent, known);
  return known;
}

const agentPrograms = new WeakMap<AgentFacts, WeakMap<AgentDefinition, AgentProgram>>();

/** The same program for the same file and facts: what runs of one agent share is worked out once a process. */
function programOf(agent: AgentDefinition, facts: AgentFacts, runContext: RunContext): AgentProgram {
  const known = agentPrograms.get(facts)?.get(agent);
  if (known !== undefined) return known;
  const made = makeProgram(agent, facts, runContext);
  const byAgent = agentPrograms.get(facts) ?? new WeakMap<AgentDefinition, AgentProgram>();
  agentPrograms.set(facts, byAgent.set(agent, made));
  return made;
}

function makeProgram(agent: AgentDefinition, facts: AgentFacts, { card, run }: RunContext): AgentProgram {
  const brief: SessionSpec = {
    agent: agent.name,
    system: agent.system,
    models: agent.models,
    settings: agent.settings,
    output: agent.output,
    maxTurns: agent.maxTurns,
    maxToolCallsPerTurn: agent.maxToolCallsPerTurn,
    maxRetries: agent.maxRetries,
    modelTimeoutMs: agent.modelTimeoutMs,
    ...(facts.contextWindow !== undefined && { contextWindow: facts.contextWindow }),
  };
  const plain = plainTools(agent.name, facts);
  const called = configOf(agent, agentsPattern) ?? [];
  const chats = [...called, ...(configOf(agent, advisorsPattern)?.agents ?? [])].some((name) => card(name).chat);
  const reads = plain.some(({ spec }) => spec.name === READ_RESULT.name);
  return {
    agent,
    brief,
    tools: chats ? plain : [...plain, ...called.map((name) => agentTool(card(name))), ...bounded(agent, run)],
    chats,
    reader: reads ? undefined : plainTool(agent.name, READ_RESULT),
    wrappers: wrappersOf(agent),
  };
}

function instantiate(program: AgentProgram, call: AgentCall, runContext: RunContext): Instance {
  const { agent, brief, tools, chats, reader, wrappers } = program;
  const { run } = runContext;
  const { services, host } = run.environment;
  const context: PatternContext = {
    agent: agent.name,
    card: runContext.card,
    check: services.check,
    children: chats ? openChildren() : NO_CHILDREN,
    teams: runContext.teams,
    charter: runContext.charter,
    stopAfter: run.start.stopAfter,
    strategy: host.strategy,
  };
  const all = chats ? [...tools, ...conversing(agent, context, call), ...bounded(agent, run)] : tools;
  const bare = session(brief, all, services);
  const spawn = configOf(agent, spawnPattern);
  const able = spawn === undefined ? bare : withSpawnTools(spawn, context, brief.output)(bare);
  const own = teamSeat(context, brief.output)(quoteRequest(spawn !== undefined)(withSharedContext(reader)(able)));
  return { start: compose(wrappers, context, own), again: own };
}

/** The tool by which an agent delegates a bounded task, if its file says `subagent`. */
function bounded(agent: AgentDefinition, { definition, environment }: DrivenRun): readonly SessionTool[] {
  const config = configOf(agent, subagentPattern);
  if (config === undefined) return [];
  const { enabled } = config;
  const limits = limitsOf(config, definition.config.limits);
  const { check } = environment.services;
  return [subagentTool({ agent: agent.name, depth: 0, limits, enabled, check })];
}

/** The tools by which an agent calls others, if some of them stay open and can be asked again. */
function conversing(agent: AgentDefinition, context: PatternContext, call: AgentCall): readonly SessionTool[] {
  const { children } = context;
  const agents = (configOf(agent, agentsPattern) ?? []).map((name) => agentTool(context.card(name), children));
  return [...agents, askClarification(children, call.callPath), dismiss(children)];
}
