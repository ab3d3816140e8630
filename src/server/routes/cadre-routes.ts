// The cadre that is served: its agents, how they lead to each other, and what the check finds.

import { basename } from 'node:path';
import { exampleInputs } from '../../agent-tests/find-tests.ts';
import { present } from '../../base/text/present.ts';
import { costBounds } from '../../definition/check/cost-bound.ts';
import { cadreBounds } from '../../definition/check/known-window.ts';
import type { AgentDefinition, CadreDefinition } from '../../definition/definition.ts';
import { reachableFrom } from '../../definition/reach.ts';
import { readEnvironment } from '../../definition/read/variables.ts';
import { graphOf, joinGraphs } from '../../definition/show/graph.ts';
import { agentSettings } from '../../definition/show/settings.ts';
import { agentTemplate, settingText } from '../../definition/show/template.ts';
import { findModel } from '../../engine/inspect/find-model.ts';
import { inputFor } from '../../engine/request.ts';
import { FaultError } from '../../kernel/fault.ts';
import type { Violation } from '../../kernel/schema.ts';
import { chatPattern } from '../../patterns/chat/pattern.ts';
import { answerers } from '../../patterns/final-answerers.ts';
import { configOf } from '../../patterns/record.ts';
import { teamPattern } from '../../patterns/team/pattern.ts';
import { acceptedFiles } from '../../run/accepted-files.ts';
import { type Caller, mayUse } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import {
  AgentDetail,
  type AgentInfo,
  type BoundInfo,
  CadreInfo,
  type CallerInfo,
  InputCheck,
  InputToCheck,
  type ShownSetting,
} from '../messages/cadre.ts';
import { AGENT_PARAM, jsonCount } from '../messages/fields.ts';
import { inPlace, placeOfCadre, withExcerpt } from '../served-cadres.ts';
import { json, type Route, route } from './route.ts';

export const cadreRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/cadre',
    name: 'getCadre',
    tag: 'cadre',
    summary: 'The agents, how they lead to each other, findings of the check, bounds, models, and who asks.',
    permission: 'see',
    answers: {
      200: {
        description: 'The cadre as its files are now.',
        body: CadreInfo,
      },
    },
    answer: async ({ caller }, context) => json(await cadreInfo(caller, context)),
  }),
  route({
    method: 'GET',
    path: '/api/agents/:name',
    name: 'getAgent',
    tag: 'cadre',
    summary: 'One agent: its contract, prompt, tools, bound and findings.',
    permission: 'see',
    params: { name: AGENT_PARAM },
    answers: {
      200: {
        description: 'The agent.',
        body: AgentDetail,
      },
    },
    faults: ['agent/unknown'],
    answer: async ({ caller, params }, context) => json(agentDetail(params.name, caller, context)),
  }),
  route({
    method: 'POST',
    path: '/api/agents/:name/input',
    name: 'checkInput',
    tag: 'cadre',
    summary: 'Checks an input without starting anything.',
    permission: 'see',
    params: { name: AGENT_PARAM },
    body: InputToCheck,
    answers: {
      200: {
        description: 'Says if the agent takes it, with every violation.',
        body: InputCheck,
      },
    },
    faults: ['agent/unknown'],
    answer: async ({ caller, params, body }, context) => {
      const { agent } = context.cadres.agentFor(params.name, caller);
      return json(inputCheck(agent, body.input));
    },
  }),
];

async function cadreInfo(caller: Caller, context: ServerContext): Promise<CadreInfo> {
  const { cadres, version, folder, now, models } = context;
  const seen = cadres.agents().filter(({ name }) => mayUse(caller, name));
  const names = new Set(seen.map(({ name }) => name));
  const hosted = cadres.all().flatMap(({ prefix, host }) => (host ? [{ prefix, definition: host.definition }] : []));
  const graph = joinGraphs(hosted.map(({ prefix, definition }) => ({ prefix, graph: graphOf(definition) })));
  const bounds = hosted.flatMap(({ prefix, definition }) => boundEntries(prefix, definition));
  const examples = new Map(cadres.all().map((one) => [one, exampleInputs(one.folder)]));
  const isWhole = caller.agents === undefined;
  return {
    version,
    name: basename(folder),
    cadres: cadres.all().map(placeOfCadre),
    agents: seen.map(({ agent, served, host, state }) => ({
      ...agentInfo(agent, served.prefix),
      accepts: acceptedFiles(agent, host.resources),
      ...answeredBy(agent, served.prefix, host.definition),
      ...exampleOf(agent.name, examples.get(served)),
      state,
    })),
    graph: isWhole
      ? graph
      : {
          nodes: graph.nodes.filter(({ name }) => names.has(name)),
          edges: graph.edges.filter(({ from, to }) => names.has(from) && names.has(to)),
        },
    diagnostics: isWhole ? cadres.diagnostics() : [],
    bounds: Object.fromEntries(bounds.filter(([name]) => names.has(name))),
    models: (await models()).filter(({ agent }) => names.has(agent)),
    ...(seen.length === 0 && isWhole && { starter: await starterOf(folder) }),
    you: callerInfo(caller),
    now: now(),
  };
}

async function starterOf(folder: string): Promise<NonNullable<CadreInfo['starter']>> {
  const { model, why } = await findModel(readEnvironment(folder));
  return { model, why };
}

function exampleOf(name: string, all: ReturnType<typeof exampleInputs> | undefined): Pick<AgentInfo, 'examples'> {
  const examples = all?.get(name);
  return examples === undefined ? {} : { examples };
}

function answeredBy(agent: AgentDefinition, prefix: string, { agents }: CadreDefinition): Pick<AgentInfo, 'answerers'> {
  const names = answerers(agent.name, agents);
  return names.length === 0 || (names.length === 1 && names[0] === agent.name)
    ? {}
    : { answerers: names.map((name) => prefix + name) };
}

function shownSettings(agent: AgentDefinition, prefix: string, cadre: CadreDefinition): readonly ShownSetting[] {
  return (agentSettings(cadre, agent.name) ?? []).map(({ key, value, from, place }) => ({
    key,
    from,
    ...(value !== undefined && { value: settingText(value) }),
    ...(place && { place: { ...place, file: prefix + place.file } }),
  }));
}

const callerInfo = ({ name, may, agents }: Caller): CallerInfo => ({
  name,
  may: [...may],
  ...(agents && { agents: [...agents] }),
});

export function agentInfo(agent: AgentDefinition, prefix: string): AgentInfo {
  const { name, file, description, usage, models, tools, approve, input, output, maxTurns, budget } = agent;
  const team = configOf(agent, teamPattern);
  const { memberMaxTurns, supervisorMaxTurns } = team ?? {};
  return {
    name: prefix + name,
    prefix,
    file: prefix + file,
    ...present({ description, usage }),
    models,
    patterns: agent.patterns.flatMap(({ pattern }) => (pattern.isPlain ? [] : [pattern.key])),
    tools,
    approve,
    input,
    output,
    chat: configOf(agent, chatPattern) === true,
    maxTurns,
    ...present({ team: team && present({ memberMaxTurns, supervisorMaxTurns }), budget }),
  };
}

function agentDetail(asked: string, caller: Caller, { cadres }: ServerContext): AgentDetail {
  const { agent, served, host, name, state } = cadres.agentFor(asked, caller);
  const { prefix, reading } = served;
  const { definition } = host;
  const bound = Object.fromEntries(boundEntries(prefix, definition))[name];
  return {
    ...agentInfo(agent, prefix),
    accepts: acceptedFiles(agent, host.resources),
    ...answeredBy(agent, prefix, definition),
    state,
    system: agent.system,
    text: agent.text,
    template: agentTemplate(definition, agent.name) ?? '',
    settings: shownSettings(agent, prefix, definition),
    diagnostics: reading.diagnostics
      .filter(({ file }) => file === agent.file)
      .map((one) => inPlace(prefix, withExcerpt(one, reading))),
    bound: bound ?? { kind: 'unbounded', reason: 'it is not known', usd: null },
    reaches: [...reachableFrom(definition, agent.name)].map((one) => prefix + one),
  };
}

function boundEntries(prefix: string, definition: CadreDefinition): readonly (readonly [string, BoundInfo])[] {
  const costs = costBounds(definition);
  return [...cadreBounds(definition)].map(([name, bound]) => {
    const cost = costs.get(name);
    const usd = cost?.kind === 'known' ? cost.usd : null;
    const why = cost?.kind === 'unknown' ? { why: cost.why } : {};
    if (bound.kind === 'unbounded')
      return [prefix + name, { kind: 'unbounded', reason: bound.reason, usd: null, ...why }];
    return [
      prefix + name,
      { kind: 'bounded', calls: jsonCount(bound.calls), attempts: jsonCount(bound.attempts), usd, ...why },
    ];
  });
}

function inputCheck(agent: AgentDefinition, input: unknown): InputCheck {
  try {
    inputFor(agent, input);
    return { ok: true, violations: [] };
  } catch (thrown) {
    if (!(thrown instanceof FaultError)) throw thrown;
    const { message, details } = thrown.fault;
    return { ok: false, message, violations: (details?.['violations'] ?? []) as readonly Violation[] };
  }
}
