// From an agent's file to the routine that runs it: its session, with its tools, inside its patterns.

import type { AgentDefinition, CadreDefinition } from '../agents/definition.ts';
import type { AgentName } from '../kernel/effect.ts';
import type { ToolSpec } from '../kernel/message.ts';
import { type Brief, type Services, session } from '../kernel/session.ts';
import { plainTool, type SessionTool } from '../kernel/session-tool.ts';
import { openChildren } from '../patterns/children.ts';
import { askClarification, dismiss } from '../patterns/clarification.ts';
import { agentTool } from '../patterns/delegate.ts';
import { onion } from '../patterns/onion.ts';
import type { AgentCard, PatternContext } from '../patterns/pattern.ts';
import { sharing } from '../patterns/spawn/sharing.ts';
import { spawning } from '../patterns/spawn/spawning.ts';
import { participant } from '../patterns/team/participant.ts';
import type { TeamStrategy } from '../patterns/team/strategy.ts';
import { subagentTool } from '../patterns/subagent/tool.ts';
import { READ_RESULT } from '../tools/read-result.ts';
import type { Casting, Programs } from '../world/nested.ts';
import type { Instance } from '../world/sessions.ts';
import { limitsOf } from './subagent.ts';

/** What has to be found out about an agent before it can run, and is recorded. */
export interface AgentFacts {
  readonly tools: readonly ToolSpec[];
  /** Those of the tools that wait for a person's yes. */
  readonly approve: readonly string[];
  readonly contextWindow?: number;
}

export interface ProgramParts {
  readonly cadre: CadreDefinition;
  readonly services: Services;
  readonly stopAfter?: AgentName;
  /** How teams work together, where it is not in cycles. */
  readonly strategy?: TeamStrategy;
  facts(agent: AgentDefinition): AgentFacts | Promise<AgentFacts>;
}

/** What every run of one agent shares. */
interface Blueprint {
  readonly agent: AgentDefinition;
  readonly brief: Brief;
  readonly tools: readonly SessionTool[];
}

/** What all agents of one run share. */
interface Company {
  readonly parts: ProgramParts;
  readonly teams: PatternContext['teams'];
  card(name: AgentName): AgentCard;
}

export function programs(parts: ProgramParts): Programs {
  const company: Company = {
    parts,
    teams: new Map(),
    card: (name) => cardOf(definitionOf(name, parts.cadre)),
  };
  const facts = new Map<AgentName, AgentFacts>();
  return (casting) => {
    const agent = definitionOf(casting.agent, parts.cadre);
    const known = facts.get(agent.name);
    if (known !== undefined) return instantiate(blueprintOf(agent, known), casting, company);
    const build = (found: AgentFacts): Instance => {
      facts.set(agent.name, found);
      return instantiate(blueprintOf(agent, found), casting, company);
    };
    const found = parts.facts(agent);
    return found instanceof Promise ? found.then(build) : build(found);
  };
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
    chat: agent.chat,
  };
  cards.set(agent, known);
  return known;
}

const blueprints = new WeakMap<AgentFacts, WeakMap<AgentDefinition, Blueprint>>();

/** The same blueprint for the same file and facts: what runs of one agent share is worked out once a process. */
function blueprintOf(agent: AgentDefinition, facts: AgentFacts): Blueprint {
  const byAgent = blueprints.get(facts) ?? new WeakMap<AgentDefinition, Blueprint>();
  blueprints.set(facts, byAgent);
  const known = byAgent.get(agent) ?? makeBlueprint(agent, facts);
  byAgent.set(agent, known);
  return known;
}

function makeBlueprint(agent: AgentDefinition, facts: AgentFacts): Blueprint {
  const brief: Brief = {
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
  const tools = facts.tools.map((spec) => plainTool(agent.name, spec, facts.approve.includes(spec.name)));
  return { agent, brief, tools };
}

function instantiate({ agent, brief, tools }: Blueprint, casting: Casting, company: Company): Instance {
  const { parts } = company;
  const context: PatternContext = {
    agent: agent.name,
    card: company.card,
    check: parts.services.check,
    children: openChildren(),
    teams: company.teams,
    charter: (team) => definitionOf(team, parts.cadre).system,
    ...(parts.stopAfter !== undefined && { stopAfter: parts.stopAfter }),
    ...(parts.strategy !== undefined && { strategy: parts.strategy }),
  };
  const helpers = bounded(agent, parts);
  const reach = [...delegation(agent, context, casting), ...helpers];
  // The same list for every session of an agent that reaches nobody, so that it is worked out once.
  const bare = session(brief, reach.length === 0 ? tools : [...tools, ...reach], parts.services);
  const able = agent.spawn === undefined ? bare : spawning(agent.spawn, context, brief.output)(bare);
  const own = participant(context, brief.output)(sharing(readerFor(agent, tools))(able));
  return { start: onion(agent, context, own), again: own };
}

/** What a spawned run is given may hold handles: it can read them, where it could not anyway. */
const readerFor = (agent: AgentDefinition, tools: readonly SessionTool[]): SessionTool | undefined =>
  tools.some(({ spec }) => spec.name === READ_RESULT.name) ? undefined : plainTool(agent.name, READ_RESULT, false);

/** The tool by which an agent delegates a bounded task, where its file says `subagent`. */
function bounded(agent: AgentDefinition, { cadre, services }: ProgramParts): readonly SessionTool[] {
  if (agent.subagent === undefined) return [];
  const { enabled } = agent.subagent;
  const limits = limitsOf(agent.subagent, cadre.config.limits);
  return [subagentTool({ agent: agent.name, depth: 0, limits, enabled, check: services.check })];
}

/** The tools by which an agent reaches others: its sub-agents, and those of them and its advisors that stay open. */
function delegation(agent: AgentDefinition, context: PatternContext, casting: Casting): readonly SessionTool[] {
  const asked = [...agent.agents, ...(agent.advisors?.agents ?? [])];
  const agents = agent.agents.map((name) => agentTool(context.card(name), context));
  if (!asked.some((name) => context.card(name).chat)) return agents;
  return [...agents, askClarification(context.children, () => casting.callPath), dismiss(context.children)];
}
