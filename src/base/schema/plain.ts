// The schemas that most agents and tools have: types, texts, properties and required names, and no other keyword.

import { oversizeProblem } from './limits.ts';

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** True if this check alone shows that it is valid, so that Ajv need not be loaded. */
export const isPlainSchema = (schema: unknown): boolean => isPlain(schema, 0) && oversizeProblem(schema) === undefined;

function isPlain(schema: unknown, depth: number): boolean {
  if (typeof schema === 'boolean') return true;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || depth > 20) return false;
  return Object.entries(schema).every(([keyword, value]) => {
    switch (keyword) {
      case 'type':
        return TYPES.has(value);
      case 'title':
      case 'description':
        return typeof value === 'string';
      case 'properties':
        return (
          typeof value === 'object' &&
          value !== null &&
          !Array.isArray(value) &&
          Object.values(value).every((one) => isPlain(one, depth + 1))
        );
      case 'items':
      case 'additionalProperties':
        return isPlain(value, depth + 1);
      case 'required':
        return (
          Array.isArray(value) && value.every((one) => typeof one === 'string') && new Set(value).size === value.length
        );
      case 'enum':
        return (
          Array.isArray(value) &&
          value.length > 0 &&
          value.every((one) => typeof one === 'string') &&
          new Set(value).size === value.length
        );
      case 'minLength':
      case 'maxLength':
      case 'minItems':
      case 'maxItems':
        return Number.isInteger(value) && (value as number) >= 0;
      case 'minimum':
      case 'maximum':
        return typeof value === 'number' && Number.isFinite(value);
      default:
        return false;
    }
  });
}
