// Makes the routine of an agent from its file: its session, with its tools, inside its patterns.

import type { AgentDefinition, CadreDefinition } from '../definition/definition.ts';
import { reachableFrom } from '../definition/reach.ts';
import type { AgentName, SettledResult } from '../kernel/effect.ts';
import { FaultError } from '../kernel/fault.ts';
import { parentPath, ROOT } from '../kernel/path.ts';
import { type KernelRules, rulesOf } from '../kernel/revision.ts';
import { session } from '../kernel/session/session.ts';
import type { SessionSpec } from '../kernel/session/session-spec.ts';
import { plainTool, plainTools, type SessionTool } from '../kernel/session/session-tool.ts';
import { isHelper, ownerOf } from '../kernel/subagent.ts';
import { CATALOG } from '../patterns/catalog.ts';
import { chatPattern } from '../patterns/chat/pattern.ts';
import { Children, NO_CHILDREN } from '../patterns/children.ts';
import { compose, sessionOf, toolsFrom, wrappersOf } from '../patterns/compose.ts';
import { promptWith } from '../patterns/given-prompt.ts';
import type { AgentCard, PatternContext, PatternToolContext } from '../patterns/pattern.ts';
import { quoteText } from '../patterns/quote-text.ts';
import { configOf, edgesOf, isReplaced, type Pattern, type PatternUse } from '../patterns/record.ts';
import { READ_RESULT } from '../tools/read-result.ts';
import type { AgentCall, Programs } from '../world/stack/nested.ts';
import type { Instance } from '../world/state/sessions.ts';
import type { AgentFacts } from './agent-facts.ts';
import type { DrivenRun } from './driven-run.ts';
import { type GivenTexts, givenIn, isGivenMore } from './given.ts';
import { helperInstance } from './helper-agent.ts';
import { type FactsFor, shownFacts } from './recorded-facts.ts';

/** The part that every run of one agent shares. */
interface AgentProgram {
  readonly agent: AgentDefinition;
  readonly brief: SessionSpec;
  /** The tools of every session. Those that depend on its open children are made for each session and are not here. */
  readonly tools: readonly SessionTool[];
  /** True if it asks an agent that stays open. */
  readonly chats: boolean;
  /** Reads the handles in what a spawned run is given, for an agent that has no such tool otherwise. */
  readonly reader: SessionTool | undefined;
  /** The patterns around its session, from the inside out. */
  readonly wrappers: readonly PatternUse[];
}

/** The part that all agents of one run share. */
interface RunContext {
  readonly run: DrivenRun;
  /** Those of the revision that the run began with. */
  readonly rules: KernelRules;
  /** Those that wrap every session. */
  readonly patterns: readonly Pattern[];
  readonly teams: PatternContext['teams'];
  readonly rounds: PatternContext['rounds'];
  readonly leadsTo: PatternContext['leadsTo'];
  card(name: AgentName): AgentCard;
  charter(team: AgentName): string;
}

export function programs(run: DrivenRun, factsFor: FactsFor): Programs {
  const { definition } = run;
  const runContext: RunContext = {
    run,
    rules: rulesOf(run.start.kernel),
    patterns: wrapEveryOf(definition),
    teams: new Map(),
    rounds: new Map(),
    leadsTo: (from, to) => reachableFrom(definition, from).has(to),
    card: (name) => cardOf(definitionOf(name, definition)),
    charter: (team) => definitionOf(team, definition).system,
  };
  const facts = new Map<AgentName, AgentFacts>();
  const shown = shownFacts(factsFor);
  let withGiven: ReturnType<typeof givenPrograms> | undefined;
  return (call) => {
    const agent = definitionOf(ownerOf(call.agent), definition);
    const made = (found: AgentFacts): ReturnType<Programs> =>
      isGivenMore(agent) && !isHelper(call.agent)
        ? (withGiven ??= givenPrograms(runContext))(agent, found, call).catch(faultOrThrow)
        : ready(agent, found, call, runContext);
    const known = facts.get(agent.name);
    if (known !== undefined) return made(known);
    const build = (found: AgentFacts): ReturnType<Programs> => {
      facts.set(agent.name, found);
      return made(found);
    };
    const found = shown(agent, call);
    return found instanceof Promise ? found.then(build).catch(faultOrThrow) : build(found);
  };
}

/** Programs of agents that are given more than their own text: they belong to one run. */
function givenPrograms(
  context: RunContext,
): (agent: AgentDefinition, facts: AgentFacts, call: AgentCall) => Promise<SettledResult<Instance>> {
  const given = givenIn(context.run);
  const made = new Map<AgentName, AgentProgram>();
  return async (agent, facts, call) => {
    const program = made.get(agent.name) ?? makeProgram(agent, facts, context, await given(agent, call));
    made.set(agent.name, program);
    return { ok: true, value: instantiate(program, call, context) };
  };
}

const wrapEvery = new WeakMap<CadreDefinition, readonly Pattern[]>();

/** The patterns of the catalog, and those that a program brought, which wrap every session. */
function wrapEveryOf(definition: CadreDefinition): readonly Pattern[] {
  const known = wrapEvery.get(definition);
  if (known !== undefined) return known;
  const used = [...definition.agents.values()].flatMap(({ patterns }) => patterns.map(({ pattern }) => pattern));
  const all = [...new Set([...CATALOG, ...used])].filter((pattern) => pattern.wrapEvery !== undefined);
  wrapEvery.set(definition, all);
  return all;
}

const ready = (
  agent: AgentDefinition,
  facts: AgentFacts,
  call: AgentCall,
  context: RunContext,
): SettledResult<Instance> => ({
  ok: true,
  value: isHelper(call.agent)
    ? helperInstance(agent, facts, context)
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
    ...(agent.accepts && { accepts: agent.accepts }),
    output: agent.output,
    chat: configOf(agent, chatPattern) === true,
  };
  cards.set(agent, known);
  return known;
}

type ProgramsOfFacts = WeakMap<AgentFacts, WeakMap<AgentDefinition, AgentProgram>>;

const agentPrograms = new WeakMap<KernelRules, ProgramsOfFacts>();

/** The same program for the same rules, file and facts: what runs of one agent share is worked out once a process. */
function programOf(agent: AgentDefinition, facts: AgentFacts, runContext: RunContext): AgentProgram {
  const byFacts: ProgramsOfFacts = agentPrograms.get(runContext.rules) ?? new WeakMap();
  const known = byFacts.get(facts)?.get(agent);
  if (known !== undefined) return known;
  const made = makeProgram(agent, facts, runContext);
  const byAgent = byFacts.get(facts) ?? new WeakMap<AgentDefinition, AgentProgram>();
  agentPrograms.set(runContext.rules, byFacts.set(facts, byAgent.set(agent, made)));
  return made;
}

function makeProgram(
  agent: AgentDefinition,
  facts: AgentFacts,
  runContext: RunContext,
  given?: GivenTexts,
): AgentProgram {
  const { rules } = runContext;
  const brief: SessionSpec = {
    agent: agent.name,
    system: given === undefined ? agent.system : promptWith(agent.system, given.sections),
    models: agent.models,
    settings: agent.settings,
    output: agent.output,
    maxTurns: agent.maxTurns,
    maxToolCallsPerTurn: agent.maxToolCallsPerTurn,
    maxRetries: agent.maxRetries,
    modelTimeoutMs: agent.modelTimeoutMs,
    ...(facts.contextWindow !== undefined && { contextWindow: facts.contextWindow }),
    ...(facts.sight && { sight: facts.sight }),
    ...(rules.keepsTools && { keepsTools: true }),
    ...(rules.guardsCircles && agent.stuck !== undefined && { stuck: agent.stuck }),
    ...(rules.compacts && facts.contextWindow !== undefined && compactOf(agent)),
  };
  const plain = [...plainTools(agent.name, facts), ...(given?.tools ?? [])];
  const chats = edgesOf(agent).some(({ to, isAskedAgain }) => isAskedAgain && runContext.card(to).chat);
  const reads = plain.some(({ spec }) => spec.name === READ_RESULT.name);
  return {
    agent,
    brief,
    tools: chats ? plain : [...plain, ...toolsFrom(agent, withoutChildren(agent, runContext))],
    chats,
    reader: reads ? undefined : plainTool(agent.name, READ_RESULT),
    wrappers: wrappersOf(agent),
  };
}

function compactOf({ name, compact }: AgentDefinition): Pick<SessionSpec, 'compact'> {
  if (compact === undefined) return {};
  const { keep, model } = compact;
  const reader = plainTool(name, READ_RESULT);
  return { compact: { keep, ...(model !== undefined && { models: [model] }), quote: quoteText, reader } };
}

/** For tools that are the same in every session. */
const withoutChildren = ({ name }: AgentDefinition, { card, run, rules }: RunContext): PatternToolContext => ({
  agent: name,
  card,
  check: run.environment.services.check,
  children: NO_CHILDREN,
  limits: run.definition.config.limits,
  rules,
});

function instantiate(program: AgentProgram, call: AgentCall, runContext: RunContext): Instance {
  const { agent, brief, tools, chats, reader, wrappers } = program;
  const { run, patterns, card, rules, teams, rounds, leadsTo, charter } = runContext;
  const { services, host } = run.environment;
  // Written out: an object that begins with a spread takes 5 µs to make, and every session makes one.
  const context: PatternContext = {
    agent: agent.name,
    card,
    check: services.check,
    children: chats ? new Children(() => call.callPath()) : NO_CHILDREN,
    limits: run.definition.config.limits,
    rules,
    output: brief.output,
    reader,
    window:
      brief.contextWindow === undefined ? undefined : { tokens: brief.contextWindow, estimate: services.estimate },
    teams,
    rounds,
    leadsTo,
    isReplaced: isReplaced(agent),
    charter,
    stopAfter: run.start.stopAfter,
    strategy: host.strategy,
  };
  const all = chats ? [...tools, ...toolsFrom(agent, context)] : tools;
  const own = sessionOf(agent, patterns, context, session(brief, all, services));
  const round = call.trigger.kind === 'repeat' ? rounds.get(parentPath(call.path) ?? ROOT) : undefined;
  return { start: round ?? compose(wrappers, context, own), again: own };
}
