// Makes a schema part of another one: references within it are rewritten to start from the new root.

import type { JsonSchema } from '../kernel/schema.ts';

/** `at` is the JSON pointer at which it will stand. */
export function embedSchema(schema: JsonSchema, at: string): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _, ...rest } = schema;
  // A schema with its own `$id` is its own root wherever it stands.
  return '$id' in rest ? rest : (moved(rest, at) as JsonSchema);
}

/** Keywords whose values only look like schemas. */
const DATA: readonly string[] = ['const', 'enum', 'default', 'examples'];

function moved(value: unknown, at: string): unknown {
  if (Array.isArray(value)) return value.map((item) => moved(item, at));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (DATA.includes(key)) return [key, item];
      const isOwn = key === '$ref' && typeof item === 'string' && /^#(\/|$)/.test(item);
      return [key, isOwn ? `#${at}${item.slice(1)}` : moved(item, at)];
    }),
  );
}
