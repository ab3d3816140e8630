// The definition of an agent: what its file says, over the cadre's defaults and Cadre's own, with references as
// names, in the form in which it is run.

import type { ModelSettings } from '../../kernel/effect.ts';
import type { InputContract, OutputContract } from '../../kernel/schema.ts';
import type { ChainConfig, ChainStage, SpawnConfig, TeamConfig } from '../../patterns/config.ts';
import type { AgentDefinition, Budget, CadreConfig, SubagentConfig } from '../definition.ts';
import { compare } from '../diagnostic.ts';
import type { AgentFile } from '../read/agent-file.ts';
import { type Fields, KEYS, spawnShape, subagentShape } from '../read/keys.ts';
import type { Key, Keys } from '../read/shape-object.ts';
import type { Links } from './link.ts';

/** An agent with its references linked: what rules check. */
export interface LinkedAgent {
  readonly file: AgentFile;
  /** With the cadre's defaults under them. */
  readonly fields: Fields;
  readonly links: Links;
  readonly definition: AgentDefinition;
}

export function define(
  file: AgentFile,
  fields: Fields,
  links: Links,
  { config, everyone }: { config: CadreConfig; everyone: readonly string[] },
): AgentDefinition {
  const named = (kind: string, role: string): string[] =>
    links.edges.filter((edge) => edge.kind === kind && edge.role === role).map((edge) => edge.to.name);
  const advisors = named('advisors', 'advisor');
  const destinations = named('router', 'destination');
  return {
    name: file.name,
    file: file.source.file,
    text: file.source.text,
    system: file.body,
    ...present({ description: fields.description, usage: fields.usage }),
    models: typeof fields.models === 'string' ? [fields.models] : (fields.models ?? []),
    settings: settingsOf(fields),
    tools: fields.tools ?? [],
    approve: fields.approve ?? [],
    trust: fields.trust ?? [],
    agents: named('agents', 'call'),
    input: inputOf(fields),
    output: outputOf(fields),
    outputDeclared: fields.output !== undefined,
    ...present({
      chain: chainOf(fields, links),
      router: destinations.length === 0 ? undefined : { destinations },
      advisors:
        advisors.length === 0 || fields.advisors === undefined ? undefined : { ...fields.advisors, agents: advisors },
      team: teamOf(file, fields, links),
    }),
    chat: fields.chat ?? false,
    ...present({ subagent: subagentOf(fields), spawn: spawnOf(fields, links, everyone) }),
    ...(links.uses.length > 0 && { patterns: links.uses }),
    // A cap of the cadre lowers Cadre's own default, but never a written value: that is an error of the check.
    maxTurns: fields.maxTurns ?? Math.min(fallback(KEYS.maxTurns), config.limits.maxTurns),
    maxToolCallsPerTurn: fields.maxToolCallsPerTurn ?? fallback(KEYS.maxToolCallsPerTurn),
    maxRetries: fields.maxRetries ?? fallback(KEYS.maxRetries),
    ...present({ timeoutMs: fields.timeout }),
    modelTimeoutMs: fields.modelTimeout ?? fallback(KEYS.modelTimeout),
    toolTimeoutMs: fields.toolTimeout ?? fallback(KEYS.toolTimeout),
    ...present({ budget: budgetOf(fields) }),
  };
}

function settingsOf({ temperature, topP, maxOutputTokens, reasoning }: Fields): ModelSettings {
  return present({ temperature, topP, maxOutputTokens, reasoning });
}

/** A schema implies JSON; another format beside it is an error of the check. */
function inputOf({ input }: Fields): InputContract {
  if (input?.schema === undefined) return { format: input?.format ?? 'any' };
  return { format: input.format ?? 'json', schema: input.schema };
}

function outputOf({ output }: Fields): OutputContract {
  if (output?.schema === undefined) return { format: output?.format ?? 'markdown' };
  return { format: output.format ?? 'json', schema: output.schema };
}

function chainOf(fields: Fields, { edges, broken }: Links): ChainConfig | undefined {
  const trigger = fields.next !== undefined ? 'next' : 'handoff';
  const chain = fields.next ?? fields.handoff;
  if (chain === undefined || broken.has(trigger)) return undefined;
  const stages = chain.stages.map((_stage, index): ChainStage | undefined => {
    const of = (role: string): string | undefined =>
      edges.find((edge) => edge.kind === trigger && edge.role === role && edge.stage === index)?.to.name;
    const to = of('stage');
    return to === undefined ? undefined : { to, ...present({ else: of('else') }) };
  });
  return { trigger, stages: stages.filter((stage) => stage !== undefined), pass: chain.pass };
}

function teamOf(file: AgentFile, { team }: Fields, links: Links): TeamConfig | undefined {
  if (team === undefined) return undefined;
  const of = (role: string): string[] =>
    links.edges.filter((edge) => edge.kind === 'team' && edge.role === role).map((edge) => edge.to.name);
  const members = of('member');
  const supervisor = links.supervisesItself ? file.name : of('supervisor')[0];
  if (members.length === 0 || supervisor === undefined) return undefined;
  const { memberMaxTurns, supervisorMaxTurns } = team;
  return { members, supervisor, ...present({ memberMaxTurns, supervisorMaxTurns }) };
}

function subagentOf({ subagent }: Fields): SubagentConfig | undefined {
  if (subagent === undefined || subagent === false) return undefined;
  return { ...fallbacks<SubagentConfig>(subagentShape.keys), ...(subagent === true ? {} : subagent) };
}

function spawnOf({ spawn }: Fields, { spawnable }: Links, everyone: readonly string[]): SpawnConfig | undefined {
  if (spawn === undefined || spawn === false) return undefined;
  const limits = { ...fallbacks<SpawnConfig>(spawnShape.keys), ...(spawn === true ? {} : spawn) };
  const named = typeof spawn === 'object' && spawn.agents !== undefined;
  const agents = named ? [...new Set(spawnable.map(({ to }) => to.name))] : everyone.toSorted(compare);
  return { ...limits, agents };
}

function budgetOf({ budget }: Fields): Budget | undefined {
  if (budget === undefined) return undefined;
  const { time, ...rest } = budget;
  return { ...rest, ...present({ timeMs: time }) };
}

const fallback = <Value>(key: Key<Value>): Value => key.fallback as Value;

function fallbacks<Config>(keys: Keys): Config {
  const known = Object.entries(keys).filter(([, key]) => key.fallback !== undefined);
  return Object.fromEntries(known.map(([name, key]) => [name, key.fallback])) as Config;
}

type Present<Of> = { [Name in keyof Of]?: Exclude<Of[Name], undefined> };

/** Leaves out what is undefined: an absent key and an undefined one are not the same in a record. */
function present<Of extends object>(of: Of): Present<Of> {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Present<Of>;
}
