// A JSON Schema that a client wants the answer to satisfy. It is checked before anything is spent.

import type { JsonSchema } from '../../kernel/schema.ts';
import { inputSchemaProblems } from '../../tools/json-schema.ts';
import { invalid, isFields } from './fields.ts';

export function usableSchema(schema: unknown, at: string): JsonSchema {
  if (!isFields(schema)) return invalid(at, 'must be a JSON Schema, which is an object.');
  const problems = inputSchemaProblems(schema);
  if (problems.length === 0) return schema;
  const listed = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
  return invalid(at, `is not a JSON Schema that can be used: ${listed}`);
}
