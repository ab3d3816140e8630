// Reads what a route takes from a request, and checks it with the schemas of the route.

import { fail } from '../../kernel/fault.ts';
import { explained, readJson } from '../../kernel/json.ts';
import { type JsonSchema, listViolations, type Violation } from '../../kernel/schema.ts';
import { schemaCheck } from '../../tools/json-schema.ts';
import type { Route, RouteFields } from './route.ts';

type Plain = string | number | boolean;

/** Throws `request/invalid` with every violation. A field that the route does not know is one. */
export function checkedFields(
  fields: RouteFields,
  given: Readonly<Record<string, string>>,
  where: 'query' | 'path' | 'header',
): Readonly<Record<string, Plain>> {
  const violations: Violation[] = [];
  const values: Record<string, Plain> = {};
  for (const [name, text] of Object.entries(given)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) {
      const known = Object.keys(fields);
      violations.push({
        path: `${where} ${name}`,
        message: known.length === 0 ? 'is not known here' : `is not known here. Known: ${known.join(', ')}`,
      });
      continue;
    }
    const value = plainOf(text, field.schema);
    for (const one of schemaCheck(field.schema, value)) violations.push({ ...one, path: `${where} ${name}` });
    values[name] = value;
  }
  for (const [name, { required }] of Object.entries(fields)) {
    if (required === true && !Object.hasOwn(given, name))
      violations.push({ path: `${where} ${name}`, message: 'is missing' });
  }
  if (violations.length > 0) refuse(violations);
  return values;
}

/** A text of an address as the schema means it. What does not fit stays a text, and the check says why. */
function plainOf(text: string, schema: JsonSchema): Plain {
  const type = typeof schema === 'object' ? schema['type'] : undefined;
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** The body as JSON. Throws `request/media-type` and `request/invalid`. */
export function checkedBody({ body }: Route, text: string, type: string | undefined): unknown {
  if (body === undefined) return undefined;
  if (text.trim() === '') {
    if (body.required) refuse([{ path: '$', message: 'the body is missing' }]);
    return {};
  }
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type ?? '')) {
    fail('request/media-type', 'The body must be JSON. Send it with: Content-Type: application/json');
  }
  const read = readJson(text);
  if (!read.ok) return fail('request/invalid', `The body ${explained(read)}`);
  const violations = schemaCheck(body.schema, read.value);
  if (violations.length > 0) refuse(violations);
  return read.value;
}

function refuse(violations: readonly Violation[]): never {
  fail('request/invalid', `The request is not valid:\n${listViolations(violations)}`, { violations });
}
