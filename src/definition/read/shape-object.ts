// Shapes that have keys: objects with a fixed set of them, records whose keys are names, and values left as they are.
// An unknown key is an error everywhere, and the error names the nearest key that exists.

import type { JsonObject } from '../../base/text/json.ts';
import { meantOr } from '../../base/text/nearest.ts';
import { jsonOf, type MapNode, type YamlEntry, type YamlNode } from '../../base/yaml/node.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import { byForm, list, type ReadContext, reportAt, reportFew, type Shape, wrongValue } from './shape.ts';

/** One key: what it takes, its default, and what a person wants to know before setting it. */
export interface Key<Value> {
  readonly shape: Shape<Value>;
  readonly guidance: string;
  readonly fallback?: Value;
  readonly required?: boolean;
}

export type Keys = Readonly<Record<string, Key<unknown>>>;

/** The result of reading: every key may be absent, because it was left out or because it was wrong. */
export type Values<Of> = {
  readonly [Name in keyof Of]?: Of[Name] extends { shape: Shape<infer Value> } ? Value : never;
};

export function key<Value>(
  shape: Shape<Value>,
  guidance: string,
  more: Omit<Key<Value>, 'shape' | 'guidance'> = {},
): Key<Value> {
  return { shape, guidance, ...more };
}

export interface ObjectShape<Value> extends Shape<Value> {
  readonly keys: Keys;
  /** Words that people write instead of a key. */
  readonly hints: Readonly<Record<string, string>>;
  readMap(node: MapNode, path: string, reading: ReadContext): Value;
}

/**
 * `hints` are words that people write instead of a key, and what to tell them; `refused` are keys that
 * exist but are not allowed here, and why.
 */
export function object<const Of extends Keys>(
  keys: Of,
  {
    hints = {},
    refused = {},
  }: { readonly hints?: Readonly<Record<string, string>>; readonly refused?: Readonly<Record<string, string>> } = {},
): ObjectShape<Values<Of>> {
  const required = Object.keys(keys).filter((name) => keys[name]?.required === true);
  const shape: ObjectShape<Values<Of>> = {
    says: 'keys and values',
    keys,
    hints,
    schema: objectSchema(keys, required),
    read(node, path, reading) {
      return node.kind === 'map' ? shape.readMap(node, path, reading) : wrongValue(node, path, shape.says, reading);
    },
    readMap(node, path, reading) {
      const values = new Map<string, unknown>();
      const inside = (name: string): string => (path === '' ? name : `${path}.${name}`);
      for (const entry of node.entries.values()) {
        if (Object.hasOwn(refused, entry.key)) {
          reportAt(entry, reading, {
            code: 'key/misplaced',
            message: `"${entry.key}" is not allowed in \`${path}\``,
            help: refused[entry.key]!,
          });
          continue;
        }
        const known = Object.hasOwn(keys, entry.key) ? keys[entry.key] : undefined;
        if (known === undefined) {
          reportUnknown(entry, path, shape, reading);
          continue;
        }
        const value: unknown = known.shape.read(entry.value, inside(entry.key), reading);
        if (value !== undefined) values.set(entry.key, value);
      }
      for (const name of required) {
        if (node.entries.has(name)) continue;
        reportAt(node, reading, {
          code: 'key/missing',
          message: `\`${inside(name)}\` is missing`,
          help: `Add ${name}: ${keys[name]?.shape.says ?? ''}.`,
        });
      }
      return Object.fromEntries(values) as Values<Of>;
    },
  };
  return shape;
}

const ALL_KEYS_OF_AN_AGENT = 'Remove it. All keys, each with what it does: cadre new example --full --print';

function reportUnknown(
  entry: YamlEntry,
  path: string,
  { keys, hints }: Pick<ObjectShape<unknown>, 'keys' | 'hints'>,
  reading: ReadContext,
): void {
  const name = entry.key;
  const names = Object.keys(keys);
  const where = path === '' ? '' : ` in \`${path}\``;
  const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
  const isMany = names.length > 12 && reading.source.file.endsWith('.md');
  const known = isMany ? ALL_KEYS_OF_AN_AGENT : `Known keys: ${names.join(', ')}.`;
  reportAt(entry, reading, {
    code: 'key/unknown',
    message: `unknown key "${name}"${where}`,
    help: hint ?? meantOr(name, names, known),
  });
}

function objectSchema(keys: Keys, required: readonly string[]): JsonObject {
  const properties = Object.entries(keys).map(([name, { shape, guidance, fallback }]) => {
    const written =
      fallback === undefined ? {} : { default: shape.write === undefined ? fallback : shape.write(fallback) };
    return [name, { ...shape.schema, description: guidance, ...written }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Names of the user's own, each with a value of one shape. The record has no prototype, so no name is inherited. */
export function record<Value>(
  of: Shape<Value>,
  names: RegExp,
  namesSay: string,
): Shape<Readonly<Record<string, Value>>> {
  const says = `names, each with ${of.says}`;
  return {
    says,
    schema: { type: 'object', propertyNames: { pattern: names.source }, additionalProperties: of.schema },
    read(node, path, reading) {
      if (node.kind !== 'map') return wrongValue(node, path, says, reading);
      const values: Record<string, Value> = Object.create(null) as Record<string, Value>;
      for (const entry of node.entries.values()) {
        if (!names.test(entry.key)) {
          reportAt(entry, reading, {
            code: 'value/name',
            message: `"${entry.key}" cannot be a name in \`${path}\``,
            help: `A name is ${namesSay}.`,
          });
          continue;
        }
        const value = of.read(entry.value, `${path}.${entry.key}`, reading);
        if (value !== undefined) values[entry.key] = value;
      }
      return values;
    },
  };
}

/**
 * Any names of the user's own, in the order of the file. They are data, so they become no keys of an object. The value of
 * one that is wrong is undefined.
 */
export function namesShape<Value>(
  of: Shape<Value>,
  min: number,
): Shape<readonly { readonly name: string; readonly value: Value | undefined }[]> {
  const says = `names, each with ${of.says}`;
  return {
    says,
    schema: { type: 'object', additionalProperties: of.schema, ...(min > 0 && { minProperties: min }) },
    read(node, path, reading) {
      if (node.kind !== 'map') return wrongValue(node, path, says, reading);
      if (node.entries.size < min) reportFew(node, path, min, reading);
      return [...node.entries.values()].map((entry) => ({
        name: entry.key,
        value: of.read(entry.value, `${path}.${entry.key}`, reading),
      }));
    },
  };
}

/** The first of these keys that is written decides which shape a map is read by. */
export function byKey(
  signed: readonly { readonly sign: string; readonly shape: Shape<unknown> }[],
  plain: Shape<unknown>,
): Shape<unknown> {
  const says = [plain, ...signed.map(({ shape }) => shape)].map((shape) => shape.says);
  return {
    says: [...new Set(says)].join(', or '),
    schema: { anyOf: [plain.schema, ...signed.map(({ shape }) => shape.schema)] },
    read(node, path, reading) {
      const found = node.kind === 'map' ? signed.find(({ sign }) => node.entries.has(sign)) : undefined;
      const value = (found?.shape ?? plain).read(node, path, reading);
      // Without its sign a value would be taken for the plain form. What was wrong with it has been reported.
      if (found === undefined || typeof value !== 'object' || value === null) return value;
      return Object.hasOwn(value, found.sign) ? value : undefined;
    },
  };
}

/** A further check of a value that has the right form. `look` reports, and returns undefined to drop the value. */
export function refineShape<Value, Result>(
  shape: Shape<Value>,
  look: (value: Value, node: YamlNode, path: string, reading: ReadContext) => Result | undefined,
): Shape<Result> {
  return {
    says: shape.says,
    schema: shape.schema,
    read(node, path, reading) {
      const value = shape.read(node, path, reading);
      return value === undefined ? undefined : look(value, node, path, reading);
    },
  };
}

/** One value, or a list of them. */
export const oneOrMore = <Value>(of: Shape<Value>, options: Parameters<typeof list>[1] = {}): Shape<readonly Value[]> =>
  byForm({ scalar: refineShape(of, (one): readonly Value[] => [one]), list: list(of, options) });

/** A JSON Schema, taken as it is. A rule of the check says whether it is valid. */
export const jsonSchema: Shape<JsonSchema> = {
  says: 'a JSON Schema',
  schema: { type: ['object', 'boolean'] },
  read(node, path, reading) {
    if (node.kind === 'map') return jsonOf(node) as JsonSchema;
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
    return wrongValue(
      node,
      path,
      { says: jsonSchema.says, help: 'Write the schema itself here, as in {type: object, properties: {…}}.' },
      reading,
    );
  },
};
