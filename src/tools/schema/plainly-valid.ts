// A quick yes for values of simple schemas, which most arguments of most tools are, without loading Ajv. It knows a
// few keywords whose meaning is the same in all drafts. True means valid; false means nothing: ask Ajv.

type SchemaObject = { readonly [key: string]: unknown };

export function plainlyValid(schema: unknown, value: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return schema === true;
  for (const keyword in schema) {
    const meets = keywords.get(keyword);
    if (meets === undefined || !meets((schema as SchemaObject)[keyword], value, schema as SchemaObject)) return false;
  }
  return true;
}

type Meets = (operand: unknown, value: unknown, schema: SchemaObject) => boolean;

const remark: Meets = () => true;

const keywords: ReadonlyMap<string, Meets> = new Map<string, Meets>([
  ['title', remark],
  ['description', remark],
  ['default', remark],
  ['examples', remark],
  ['type', (type, value) => typeof type === 'string' && isOfType(type, value)],
  ['enum', (allowed, value) => Array.isArray(allowed) && typeof value !== 'object' && allowed.includes(value)],
  ['minimum', (least, value) => typeof value !== 'number' || (typeof least === 'number' && value >= least)],
  ['maximum', (most, value) => typeof value !== 'number' || (typeof most === 'number' && value <= most)],
  // Characters are code points, of which there are between half as many as units and as many.
  [
    'minLength',
    (least, value) => typeof value !== 'string' || (typeof least === 'number' && value.length >= least * 2),
  ],
  ['maxLength', (most, value) => typeof value !== 'string' || (typeof most === 'number' && value.length <= most)],
  ['minItems', (least, value) => !Array.isArray(value) || (typeof least === 'number' && value.length >= least)],
  ['maxItems', (most, value) => !Array.isArray(value) || (typeof most === 'number' && value.length <= most)],
  ['items', (items, value) => !Array.isArray(value) || value.every((item) => plainlyValid(items, item))],
  ['required', (names, value) => !isObject(value) || (Array.isArray(names) && names.every((name) => has(value, name)))],
  [
    'properties',
    (properties, value) => {
      if (!isObject(value)) return true;
      if (!isObject(properties)) return false;
      for (const name in properties) {
        if (Object.hasOwn(value, name) && !plainlyValid(properties[name], value[name])) return false;
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

const isObject = (value: unknown): value is SchemaObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const has = (value: SchemaObject, name: unknown): boolean =>
  typeof name === 'string' && Object.hasOwn(value, name) && value[name] !== undefined;
