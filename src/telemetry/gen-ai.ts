// The words of OpenTelemetry's GenAI conventions (v1.41), and what they stand for in Cadre. Contents are never sent:
// no prompts, no answers, no arguments of tools.

import type { AgentName } from '../kernel/effect.ts';
import type { LedgerLine } from '../views/costs/calls.ts';

export type Attributes = Readonly<Record<string, string | number>>;

/** The name of a provider as OpenTelemetry knows it, by the name it has in cadre.yaml. */
export type ProviderNames = (id: string) => string;

const WELL_KNOWN: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'gcp.gemini',
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  mistral: 'mistral_ai',
  groq: 'groq',
  deepseek: 'deepseek',
};

/** A kind that OpenTelemetry has a word for goes by that word, any other provider by the name that the user gave it. */
export const providerNames =
  (kinds: Readonly<Record<string, { readonly kind: string }>>): ProviderNames =>
  (id) =>
    WELL_KNOWN[(Object.hasOwn(kinds, id) ? kinds[id]?.kind : undefined) ?? id] ?? id;

/** Spans and metrics have these in common. */
export function callAttributes({ model, fault, status }: LedgerLine, nameOf: ProviderNames): Attributes {
  const slash = model.indexOf('/');
  const error = fault ?? (status === 'in-doubt' ? 'in-doubt' : undefined);
  return {
    'gen_ai.operation.name': 'chat',
    ...(model !== '' && {
      'gen_ai.provider.name': nameOf(slash < 0 ? model : model.slice(0, slash)),
      'gen_ai.request.model': model.slice(slash + 1),
    }),
    ...(error !== undefined && { 'error.type': error }),
  };
}

export function usageAttributes({ usage, usd }: LedgerLine): Attributes {
  return {
    ...(usage && { 'gen_ai.usage.input_tokens': usage.input, 'gen_ai.usage.output_tokens': usage.output }),
    ...(usage?.cacheRead !== undefined && { 'gen_ai.usage.cache_read.input_tokens': usage.cacheRead }),
    ...(usage?.cacheWrite !== undefined && { 'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite }),
    ...(usage?.reasoning !== undefined && { 'gen_ai.usage.reasoning.output_tokens': usage.reasoning }),
    ...(usd !== undefined && { 'cadre.cost.usd': usd }),
  };
}

export const agentAttributes = (agent: AgentName): Attributes => ({
  'gen_ai.operation.name': 'invoke_agent',
  'gen_ai.agent.name': agent,
});

export const toolAttributes = (agent: AgentName, name: string, call: string): Attributes => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': name,
  'gen_ai.tool.call.id': call,
  'gen_ai.agent.name': agent,
});

/** The name of a measurement, its unit, and the bounds of its histogram, as the conventions give them. */
export const METRICS = {
  tokens: {
    name: 'gen_ai.client.token.usage',
    unit: '{token}',
    description: 'Number of input and output tokens used.',
    bounds: Array.from({ length: 14 }, (_, power) => 4 ** power),
  },
  duration: {
    name: 'gen_ai.client.operation.duration',
    unit: 's',
    description: 'GenAI operation duration.',
    bounds: Array.from({ length: 14 }, (_, power) => 2 ** power / 100),
  },
} as const;
