// The largest size of a schema from outside. Compiling takes time that grows with the number of schemas in it,
// and blocks everything else meanwhile, so the largest one still compiles in a moment.

import { MAX_DEPTH } from '../text/json.ts';

const maxSchemaBytes = 256 * 1024;
/** Schemas within one, itself included: an object is one, unless it is data. */
const maxSchemas = 1000;

/** These keys hold values, not schemas. */
const DATA_KEYS: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** The reason why a schema is too large to be used; undefined if it is not. One that contains itself is too deep. */
export function oversizeProblem(schema: unknown): string | undefined {
  const { bytes, schemas, depth } = sizeOf(schema);
  if (depth > MAX_DEPTH) return `its schema is nested more than ${MAX_DEPTH} levels deep`;
  if (schemas > maxSchemas) return `its schema holds more than ${maxSchemas} schemas`;
  if (bytes > maxSchemaBytes) return `its schema has more than ${maxSchemaBytes} bytes`;
  return undefined;
}

/** Counts until one of the limits is passed, without recursion. */
function sizeOf(schema: unknown): { readonly bytes: number; readonly schemas: number; readonly depth: number } {
  const pending: { readonly value: unknown; readonly depth: number; readonly isData: boolean }[] = [
    { value: schema, depth: 0, isData: false },
  ];
  let bytes = 0;
  let schemas = 0;
  let depth = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, isData } = next;
    depth = Math.max(depth, next.depth);
    if (depth > MAX_DEPTH || schemas > maxSchemas || bytes > maxSchemaBytes) break;
    bytes += typeof value === 'string' ? value.length + 2 : 4;
    if (typeof value !== 'object' || value === null) continue;
    if (!isData && !Array.isArray(value)) schemas++;
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) bytes += key.length + 2;
      if (bytes > maxSchemaBytes) break;
      pending.push({ value: inner, depth: next.depth + 1, isData: isData || DATA_KEYS.has(key) });
    }
  }
  return { bytes, schemas, depth };
}
