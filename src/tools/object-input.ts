// The JSON Schema of the input of a tool of Cadre's own: an object with these keys and no others.

import type { JsonObject } from '../base/text/json.ts';
import type { JsonSchema } from '../kernel/schema.ts';

export const objectInput = (properties: JsonObject, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});
