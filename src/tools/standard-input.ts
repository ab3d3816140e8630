// Inputs of tools that are described by a Standard Schema: zod, valibot, ArkType and others. The model needs a JSON
// Schema, which newer libraries provide themselves; the library's own check decides in the end.

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonSchema, Violation } from '../kernel/schema.ts';

/** The JSON Schema of the input. Throws where the library provides none. */
export function jsonSchemaOf(schema: StandardSchemaV1, tool: string): JsonSchema {
  const standard = schema['~standard'] as StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>;
  const { vendor, jsonSchema } = standard;
  const way = `Give the tool its JSON Schema as well: tool({ name: '${tool}', input, parameters: {…}, … }).`;
  if (jsonSchema === undefined) {
    throw new TypeError(
      `The input of the tool "${tool}" is a schema of ${vendor} that provides no JSON Schema. ${way}`,
    );
  }
  try {
    const { $schema: _, ...told } = jsonSchema.input({ target: 'draft-2020-12' });
    return told;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new TypeError(`The input of the tool "${tool}" cannot be written as a JSON Schema: ${why} ${way}`, {
      cause: thrown,
    });
  }
}

export const standardViolations = ({ issues }: StandardSchemaV1.FailureResult): readonly Violation[] =>
  issues.map(({ message, path = [] }) => ({
    path: path.reduce<string>((place, step) => place + stepOf(typeof step === 'object' ? step.key : step), '$'),
    message,
  }));

const stepOf = (key: PropertyKey): string =>
  typeof key === 'number' || /^[0-9]+$/.test(String(key)) ? `[${String(key)}]` : `.${String(key)}`;
