// An agent as a tool of MCP: what a client is told about it, and what the arguments of a call ask for.

import type { Tool } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../../base/text/json.ts';
import { fail } from '../../../kernel/fault.ts';
import { type JsonSchema, listViolations } from '../../../kernel/schema.ts';
import { extensible, schemaWithin } from '../../../kernel/schema-parts.ts';
import { answerers } from '../../../patterns/final-answerers.ts';
import { toolName } from '../../../patterns/pattern.ts';
import { schemaCheck } from '../../../tools/json-schema.ts';
import type { ServedAgent } from '../../served-cadres.ts';

/** Tool names hold no slash, and models are given names of few characters only. */
export const mcpToolName = ({ name }: ServedAgent): string => toolName(name.replaceAll('/', '__'));

export function agentAsTool(served: ServedAgent): Tool {
  const { agent } = served;
  const outputSchema = outputSchemaOf(served);
  return {
    name: mcpToolName(served),
    title: served.name,
    description:
      [agent.description, agent.usage].filter((part) => part !== undefined).join('\n\n') || `Asks ${agent.name}.`,
    inputSchema: inputSchemaOf(served),
    ...(outputSchema && { outputSchema }),
  };
}

const THREAD = {
  type: 'string',
  description:
    'Goes on with an earlier conversation with this agent: the thread that its answer named. Leave it out to begin a new one.',
} as const;

type McpInputSchema = Tool['inputSchema'];

function inputSchemaOf(served: ServedAgent): McpInputSchema {
  const { agent } = served;
  const whole = wholeSchema(served);
  if (whole !== undefined) return { ...whole, properties: { ...whole.properties, thread: THREAD } };
  const description = agent.usage ?? 'What you ask of the agent.';
  const schema = agent.input.format === 'json' ? agent.input.schema : undefined;
  const input =
    agent.input.format === 'json'
      ? { ...(typeof schema === 'object' && (schemaWithin('#/properties/input', schema) as object)), description }
      : { type: 'string', description };
  return { type: 'object', properties: { input, thread: THREAD }, required: ['input'], additionalProperties: false };
}

/** Keys that say something about the whole object. A further property could break what they say. */
const COMBINING = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'propertyNames',
  'maxProperties',
  'dependentSchemas',
];

/** The agent's own schema, if the arguments of a call can be its input. Else its input is one of the arguments. */
function wholeSchema({ agent }: ServedAgent): McpInputSchema | undefined {
  const { format, schema } = agent.input;
  if (format !== 'json' || typeof schema !== 'object' || schema['type'] !== 'object') return undefined;
  const properties = schema['properties'];
  if (typeof properties !== 'object' || properties === null || Object.hasOwn(properties, 'thread')) return undefined;
  return COMBINING.some((key) => Object.hasOwn(schema, key)) ? undefined : (extensible(schema) as McpInputSchema);
}

/** The schema of the answer, if every agent that may give it has the same one. */
export function outputSchemaOf({ agent, host }: ServedAgent): Tool['outputSchema'] {
  const { agents } = host.definition;
  const [first, ...others] = answerers(agent.name, agents).map((name) => agents.get(name)?.output);
  if (first?.format !== 'json' || typeof first.schema !== 'object') return undefined;
  const { schema } = first;
  const isOne = others.every((other) => JSON.stringify(other?.schema) === JSON.stringify(schema));
  return isOne && isObject(schema) ? (schema as Tool['outputSchema']) : undefined;
}

/** Many clients take only an object as structured content. */
const isObject = (schema: JsonSchema): boolean => typeof schema === 'object' && schema['type'] === 'object';

/** The fields around an input. The input itself is checked when the run begins. */
const AROUND: JsonSchema = {
  type: 'object',
  properties: { input: {}, thread: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};

/** Throws `input/invalid`. */
export function askedByCall(
  served: ServedAgent,
  given: JsonObject,
): {
  /** The input of the agent, as a message would hold it. */
  readonly request: string;
  readonly thread?: string;
} {
  const violations = wholeSchema(served) === undefined ? schemaCheck(AROUND, given) : [];
  if (violations.length > 0)
    fail('input/invalid', `The arguments are not what ${served.name} takes:\n${listViolations(violations)}`, {
      violations,
    });
  const { thread, ...rest } = given;
  const named = typeof thread === 'string' && thread !== '' ? { thread } : {};
  if (wholeSchema(served) !== undefined) return { request: JSON.stringify(rest), ...named };
  const { input } = rest;
  const isText = served.agent.input.format !== 'json';
  return { request: isText && typeof input === 'string' ? input : (JSON.stringify(input) ?? ''), ...named };
}
