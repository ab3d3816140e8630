// Reads what a route takes from a request, and checks it with what the route declares.

import { explainJsonError, readJson } from '../../base/text/json.ts';
import { fail } from '../../kernel/fault.ts';
import { type JsonSchema, listViolations, type Violation } from '../../kernel/schema.ts';
import { schemaCheck } from '../../tools/json-schema.ts';
import type { ApiMessage } from '../messages/message.ts';
import { isRequired, messageSchema, type RequestFields } from '../messages/schema.ts';

type FieldValue = string | number | boolean;

/** Throws `request/invalid` with every violation. A field that the route does not know is one. */
export function checkedFields(
  fields: RequestFields,
  given: Readonly<Record<string, string>>,
  where: 'query' | 'path' | 'header',
): Readonly<Record<string, FieldValue>> {
  const violations: Violation[] = [];
  const values: Record<string, FieldValue> = {};
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
    const schema = messageSchema(field);
    const value = plainOf(text, schema);
    for (const one of schemaCheck(schema, value)) violations.push({ ...one, path: `${where} ${name}` });
    values[name] = value;
  }
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(given, name) && isRequired(field))
      violations.push({ path: `${where} ${name}`, message: 'is missing' });
  }
  if (violations.length > 0) refuse(violations);
  return values;
}

/** A text of an address as the schema means it. What does not fit stays a text, and the check says why. */
function plainOf(text: string, { type }: Extract<JsonSchema, object>): FieldValue {
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** The body as JSON. Throws `request/media-type` and `request/invalid`. */
export function checkedBody(body: ApiMessage<unknown>, text: string, type: string | undefined): unknown {
  if (text.trim() === '') {
    if (!mayBeLeftOut(body)) refuse([{ path: '$', message: 'the body is missing' }]);
    return {};
  }
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type ?? '')) {
    fail('request/media-type', 'The body must be JSON. Send it with: Content-Type: application/json');
  }
  const read = readJson(text);
  if (!read.ok) return fail('request/invalid', `The body ${explainJsonError(read)}`);
  const violations = schemaCheck(messageSchema(body), read.value);
  if (violations.length > 0) refuse(violations);
  return read.value;
}

/** A body that requires nothing. */
export const mayBeLeftOut = (body: ApiMessage<unknown>): boolean => schemaCheck(messageSchema(body), {}).length === 0;

function refuse(violations: readonly Violation[]): never {
  fail('request/invalid', `The request is not valid:\n${listViolations(violations)}`, { violations });
}
