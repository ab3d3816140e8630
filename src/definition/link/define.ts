// The definition of an agent: what its file says, over the cadre's defaults and Cadre's own, with references as
// names, in the form in which it is run.

import type { AgentName, ModelSettings } from '../../kernel/effect.ts';
import type { InputContract, JsonSchema, OutputContract } from '../../kernel/schema.ts';
import { type CircleLimits, USUAL_CIRCLES } from '../../kernel/session/circles.ts';
import { USUAL_KEEP } from '../../kernel/session/compact-rules.ts';
import type { PatternUse } from '../../patterns/record.ts';
import type { AgentDefinition, Budget, CadreConfig } from '../definition.ts';
import type { AgentFile } from '../read/agent-file.ts';
import { type AgentKeys, KEYS } from '../read/keys.ts';
import { type NamesOf, withNames } from '../read/keys-forms.ts';
import type { Ref } from '../read/shape.ts';
import type { Key } from '../read/shape-object.ts';
import type { Links } from './link.ts';

/** An agent with its references linked: what rules check. */
export interface LinkedAgent {
  readonly file: AgentFile;
  /** The fields with the cadre's defaults under them. */
  readonly fields: AgentKeys;
  readonly links: Links;
  readonly definition: AgentDefinition;
}

interface DefineContext {
  readonly config: CadreConfig;
  readonly all: readonly AgentName[];
  /** `deny` of the defaults and of the file, which add up. */
  readonly denied: readonly string[];
  /** The schema of an agent's answer, by its file. */
  answerOf(agent: AgentName): JsonSchema | undefined;
}

export function define(file: AgentFile, fields: AgentKeys, links: Links, context: DefineContext): AgentDefinition {
  const { config, denied } = context;
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
    projectFiles: fields.projectFiles ?? [],
    ...present({ skills: fields.skills?.use.length === 0 ? undefined : fields.skills }),
    deny: [...new Set([...config.limits.deny, ...denied])],
    input: inputOf(fields),
    ...present({ accepts: fields.input?.accepts }),
    output: outputOf(fields),
    outputDeclared: fields.output !== undefined,
    patterns: patternUses(file.name, links, context),
    // A cap of the cadre lowers Cadre's own default, but never a written value: that is an error of the check.
    maxTurns: fields.maxTurns ?? Math.min(fallback(KEYS.maxTurns), config.limits.maxTurns),
    maxToolCallsPerTurn: fields.maxToolCallsPerTurn ?? fallback(KEYS.maxToolCallsPerTurn),
    maxRetries: fields.maxRetries ?? fallback(KEYS.maxRetries),
    ...present({ timeoutMs: fields.timeout }),
    modelTimeoutMs: fields.modelTimeout ?? fallback(KEYS.modelTimeout),
    toolTimeoutMs: fields.toolTimeout ?? fallback(KEYS.toolTimeout),
    ...present({ budget: budgetOf(fields), stuck: stuckOf(fields), compact: compactOf(fields) }),
  };
}

/** The uses of patterns in the file, with agents as names. `all` are the agents of the folder. */
function patternUses(
  agent: AgentName,
  links: Links,
  { all, answerOf }: Pick<DefineContext, 'all' | 'answerOf'>,
): readonly PatternUse[] {
  const byRef = new Map<Ref, string[]>([...links.selves].map((ref) => [ref, [agent]]));
  const edges = [...links.edges, ...links.asides];
  for (const { ref, to } of edges) byRef.set(ref, [...(byRef.get(ref) ?? []), to.name]);
  const namesOf: NamesOf = (refs) => {
    const [only] = refs.size === 1 ? refs : [];
    if (only !== undefined) return byRef.get(only) ?? [];
    return edges.filter(({ ref }) => refs.has(ref)).map(({ to }) => to.name);
  };
  return links.written.flatMap(({ pattern, value }): readonly PatternUse[] => {
    const { form, configOf } = pattern.keySpec;
    const named = withNames(form, value, namesOf);
    const config = named === undefined || configOf === undefined ? named : configOf(named, { agent, all, answerOf });
    return config === undefined ? [] : [{ pattern, config }];
  });
}

function settingsOf({ temperature, topP, maxOutputTokens, reasoning }: AgentKeys): ModelSettings {
  return present({ temperature, topP, maxOutputTokens, reasoning });
}

/** A schema implies JSON; another format beside it is an error of the check. */
function inputOf({ input }: AgentKeys): InputContract {
  if (input?.schema === undefined) return { format: input?.format ?? 'any' };
  return { format: input.format ?? 'json', schema: input.schema };
}

function outputOf({ output }: AgentKeys): OutputContract {
  if (output?.schema === undefined) return { format: output?.format ?? 'markdown' };
  return { format: output.format ?? 'json', schema: output.schema };
}

function budgetOf({ budget }: AgentKeys): Budget | undefined {
  if (budget === undefined) return undefined;
  const { time, ...rest } = budget;
  return { ...rest, ...present({ timeMs: time }) };
}

function stuckOf({ stuck }: AgentKeys): CircleLimits | undefined {
  if (stuck === 'off') return undefined;
  const { warn = USUAL_CIRCLES.warn, stop = USUAL_CIRCLES.stop, except = [] } = typeof stuck === 'object' ? stuck : {};
  return { warn, stop, except };
}

function compactOf({ compact }: AgentKeys): AgentDefinition['compact'] {
  if (compact === 'off') return undefined;
  const { keep = USUAL_KEEP, model } = typeof compact === 'object' ? compact : {};
  return { keep, ...present({ model }) };
}

const fallback = <Value>(key: Key<Value>): Value => key.fallback as Value;

type Present<Of> = { [Name in keyof Of]?: Exclude<Of[Name], undefined> };

/** Leaves out what is undefined: an absent key and an undefined one are not the same in a record. */
function present<Of extends object>(of: Of): Present<Of> {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Present<Of>;
}
