// A quick yes, without loading Ajv, for values of simple schemas, which most tool arguments are. It knows a
// few keywords whose meaning is the same in all drafts. True means valid; false means nothing: ask Ajv.

import { type JsonObject, MAX_DEPTH } from '../../base/text/json.ts';

/** The work that one value may take here. A larger one is left to Ajv. */
const maxSteps = 100_000;
let steps = 0;

export function plainlyValid(schema: unknown, value: unknown): boolean {
  steps = 0;
  return meets(schema, value, 0);
}

function meets(schema: unknown, value: unknown, depth: number): boolean {
  if (++steps > maxSteps || depth > MAX_DEPTH) return false;
  if (typeof schema !== 'object' || schema === null) return schema === true;
  for (const keyword in schema) {
    const holds = keywords.get(keyword);
    if (holds === undefined || !holds((schema as JsonObject)[keyword], value, schema as JsonObject, depth + 1)) {
      return false;
    }
  }
  return true;
}

const remark = () => true;

const keywords = new Map<string, (operand: unknown, value: unknown, schema: JsonObject, depth: number) => boolean>([
  ['title', remark],
  ['description', remark],
  ['default', remark],
  ['examples', remark],
  ['type', (type, value) => typeof type === 'string' && isOfType(type, value)],
  [
    'enum',
    (allowed, value) => {
      if (!Array.isArray(allowed) || typeof value === 'object') return false;
      steps += allowed.length;
      return allowed.includes(value);
    },
  ],
  ['minimum', (least, value) => typeof value !== 'number' || (typeof least === 'number' && value >= least)],
  ['maximum', (most, value) => typeof value !== 'number' || (typeof most === 'number' && value <= most)],
  // Characters are code points: at least half as many as there are units, and at most as many.
  [
    'minLength',
    (least, value) => typeof value !== 'string' || (typeof least === 'number' && value.length >= least * 2),
  ],
  ['maxLength', (most, value) => typeof value !== 'string' || (typeof most === 'number' && value.length <= most)],
  ['minItems', (least, value) => !Array.isArray(value) || (typeof least === 'number' && value.length >= least)],
  ['maxItems', (most, value) => !Array.isArray(value) || (typeof most === 'number' && value.length <= most)],
  [
    'items',
    (items, value, _schema, depth) => !Array.isArray(value) || value.every((item) => meets(items, item, depth)),
  ],
  ['required', (names, value) => !isObject(value) || (Array.isArray(names) && names.every((name) => has(value, name)))],
  [
    'properties',
    (properties, value, _schema, depth) => {
      if (!isObject(value)) return true;
      if (!isObject(properties)) return false;
      for (const name in properties) {
        if (++steps > maxSteps) return false;
        if (Object.hasOwn(value, name) && !meets(properties[name], value[name], depth)) return false;
      }
      return true;
    },
  ],
  [
    'additionalProperties',
    (others, value, { properties = {} }) => {
      if (others === true || !isObject(value)) return true;
      if (others !== false || !isObject(properties)) return false;
      for (const name in value) if (!Object.hasOwn(properties, name)) return false;
      return true;
    },
  ],
]);

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'number':
      return Number.isFinite(value);
    case 'integer':
      return Number.isInteger(value);
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    default:
      return false;
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const has = (value: JsonObject, name: unknown): boolean =>
  typeof name === 'string' && Object.hasOwn(value, name) && value[name] !== undefined;
