// Values from outside that no schema of ours describes, and errors that name the place of what is wrong.

import type { JsonObject } from '../../base/text/json.ts';
import { fail } from '../../kernel/fault.ts';

export const isFields = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `param` is the place of what is wrong, as in `messages[2].content`. */
export const invalid = (param: string, why: string): never => fail('request/invalid', `${param} ${why}`, { param });

/** A value from outside, short enough for a message. */
export const shortValue = (value: unknown): string => (JSON.stringify(value) ?? 'not given').slice(0, 80);
