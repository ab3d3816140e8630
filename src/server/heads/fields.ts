// Reading the parts of a request by hand, with errors that name the place. Protocols of others allow more than a schema
// of ours could say in a useful way.

import type { JsonObject } from '../../base/text/json.ts';
import { fail } from '../../kernel/fault.ts';

export const isFields = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `param` is the place of what is wrong, as in `messages[2].content`. */
export const invalid = (param: string, why: string): never => fail('request/invalid', `${param} ${why}`, { param });

/** A value from outside, short enough for a message. */
export const shortValue = (value: unknown): string => (JSON.stringify(value) ?? 'not given').slice(0, 80);

/** The text of a field, if it is given. */
export function textField(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : invalid(name, 'must be a text.');
}

/** False where it is not given. */
export function isTrue(fields: JsonObject, name: string): boolean {
  const value = fields[name];
  if (value === undefined || value === null) return false;
  return typeof value === 'boolean' ? value : invalid(name, 'must be true or false.');
}
