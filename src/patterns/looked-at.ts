// The part of an answer that a branch or a map looks at: one property, described by the schema that the answer satisfies.

import type { JsonSchema } from '../kernel/schema.ts';
import type { StepReview, StepUpstream } from './chain-step.ts';
import { outputSchema } from './hop-check.ts';

type ObjectSchema = Exclude<JsonSchema, boolean>;

/** The schema of an upstream's answer. Reports `next/by-open` where there is none. `key` is the key that looks at it. */
export function schemaLookedAt(upstream: StepUpstream, key: string, at: StepReview): ObjectSchema | undefined {
  const { review, path } = at;
  const { agent } = upstream;
  const refuse = (message: string, help: string): undefined => {
    review.report({
      code: 'next/by-open',
      at: { agent: review.agent.name, path: [...path, key] },
      message,
      help,
    });
  };
  if (upstream.isMade) {
    return refuse(
      `\`${key}\` looks at the result of a map without \`join\`, which only an agent can take`,
      'Give the map a join: the agent that makes one answer of its items.',
    );
  }
  const schema = upstream.schema ?? outputSchema(agent, review);
  if (typeof schema === 'object') return schema;
  const file = review.agents.get(agent)?.file ?? agent;
  return refuse(
    `\`${key}\` looks at what "${agent}" answers, and ${file} describes that by no schema`,
    `Write output: {format: json, schema: {type: object, properties: {…}, required: […]}} in ${file}.`,
  );
}

/** The schema of a property under `properties`, if it has a description of its own. */
export function propertySchema(schema: JsonSchema, name: string): JsonSchema | undefined {
  const properties: unknown = typeof schema === 'object' ? schema['properties'] : undefined;
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, name)) return undefined;
  return (properties as Readonly<Record<string, JsonSchema>>)[name];
}

export function requiresProperty(schema: JsonSchema, name: string): boolean {
  const required: unknown = typeof schema === 'object' ? schema['required'] : undefined;
  return Array.isArray(required) && required.includes(name);
}

/** The names of the properties that a schema requires and describes. */
export function requiredProperties(schema: JsonSchema): readonly string[] {
  const properties: unknown = typeof schema === 'object' ? schema['properties'] : undefined;
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.keys(properties).filter((name) => requiresProperty(schema, name));
}
