// A schema as the comparison reads it: the alternatives for each kind of value, and what each one says.
// FORM-1. A shape is never narrower than its schema: what is not read, or not understood, constrains nothing.
// FORM-2. A part is exact only where nothing that would make it narrower was left unread.
// FORM-3. Reading is bounded by an effort. When it is spent, a schema reads as anything, and not as exact.
import type { JsonObject } from '../../base/text/json.ts';
import { isAmong, isObject, type JsonKind, kindOf, kinds, ownValue, showList } from './values.ts';

export interface ShapePart {
  readonly kind: JsonKind;
  /** The value satisfies each of these. */
  readonly said: readonly {
    readonly schema: JsonObject;
    readonly document: unknown;
  }[];
  readonly exact: boolean;
  /** True for numbers that must be integers. */
  readonly whole: boolean;
  /** All allowed values, where the schema lists them. */
  readonly values?: readonly unknown[];
}

/** The value is in one of the parts. */
export type SchemaShape = readonly ShapePart[];

/** The effort that one comparison has left, and the shapes that it has read. */
export interface Effort {
  steps: number;
  depth: number;
  readonly shapes: Map<unknown, Map<JsonObject, SchemaShape>>;
  /** The pairs of shapes that are being compared. */
  readonly open: Map<SchemaShape, Set<SchemaShape>>;
}

export const newEffort = (): Effort => ({ steps: 20_000, depth: 0, shapes: new Map(), open: new Map() });

const deepest = 100;

export function withEffort<Answer>(effort: Effort, otherwise: Answer, answer: () => Answer): Answer {
  if (effort.steps <= 0 || effort.depth >= deepest) return otherwise;
  effort.steps -= 1;
  effort.depth += 1;
  const found = answer();
  effort.depth -= 1;
  return found;
}

const anything: SchemaShape = kinds.map((kind) => ({ kind, said: [], exact: true, whole: false }));
const loosely = (shape: SchemaShape): SchemaShape => shape.map((part) => ({ ...part, exact: false }));
const unclear = loosely(anything);

export function shapeOf(schema: unknown, within: unknown, effort: Effort): SchemaShape {
  if (schema === true) return anything;
  if (schema === false) return [];
  if (!isObject(schema)) return unclear;
  const document = isDocument(schema) ? schema : within;
  const shapes = effort.shapes.get(document) ?? new Map<JsonObject, SchemaShape>();
  effort.shapes.set(document, shapes);
  const known = shapes.get(schema);
  if (known !== undefined) return known;
  shapes.set(schema, unclear); // for a schema that refers to itself for the same value
  const shape = withEffort(effort, unclear, () => read(schema, document, effort));
  shapes.set(schema, shape);
  return shape;
}

/** A schema with an `$id` of its own is a document of its own. */
function isDocument(schema: JsonObject): boolean {
  const id = ownValue(schema, '$id');
  return typeof id === 'string' && !id.startsWith('#');
}

function read(schema: JsonObject, document: unknown, effort: Effort): SchemaShape {
  const inner = (each: unknown): SchemaShape => shapeOf(each, document, effort);
  const listAt = (name: string): readonly unknown[] => (Array.isArray(schema[name]) ? schema[name] : []);
  const reference = ownValue(schema, '$ref');
  const referred = typeof reference === 'string' ? [inner(resolve(reference, document))] : [];
  // Draft 7 ignores keywords beside `$ref`, but some validators do not.
  if (referred[0] !== undefined && isDraft07(document)) return saysMore(schema) ? loosely(referred[0]) : referred[0];
  const choices = ['anyOf', 'oneOf'].flatMap((name) => {
    const alternatives = ownValue(schema, name) === undefined ? [] : listAt(name).map(inner);
    return alternatives.length === 0 ? [] : [union(alternatives, name === 'oneOf')];
  });
  const all = ownValue(schema, 'allOf') === undefined ? [] : listAt('allOf').map(inner);
  return [...referred, ...all, ...choices].reduce((one, other) => meet(one, other), plain(schema, document));
}

const unread: Readonly<Record<JsonKind | 'any', readonly string[]>> = {
  any: ['not', 'if', '$dynamicRef', '$recursiveRef'],
  null: [],
  boolean: [],
  number: ['multipleOf', 'format'],
  string: ['pattern', 'format'],
  array: ['prefixItems', 'contains', 'uniqueItems', 'unevaluatedItems'],
  object: [
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
    'unevaluatedProperties',
  ],
};
const bounds: Readonly<Partial<Record<JsonKind, readonly (readonly [low: string, high: string, open: boolean])[]>>> = {
  number: [
    ['minimum', 'maximum', false],
    ['exclusiveMinimum', 'exclusiveMaximum', true],
  ],
  string: [['minLength', 'maxLength', false]],
  array: [['minItems', 'maxItems', false]],
};

const isPlain = new Set([
  ...Object.values(unread).flat(),
  ...Object.values(bounds).flatMap((each) => each.flatMap(([low, high]) => [low, high])),
  'type',
  'enum',
  'const',
  'items',
  'properties',
  'required',
  'additionalProperties',
]);
const saysPlainly = (schema: JsonObject): boolean => Object.keys(schema).some((name) => isPlain.has(name));
const saysMore = (schema: JsonObject): boolean =>
  saysPlainly(schema) || ['allOf', 'anyOf', 'oneOf'].some((name) => ownValue(schema, name) !== undefined);

/** The schema's own words, without its subschemas for the same value. */
function plain(schema: JsonObject, document: unknown): SchemaShape {
  if (!saysPlainly(schema)) return anything;
  const type = ownValue(schema, 'type');
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const understood = types.every((name) => name === 'integer' || kinds.some((kind) => kind === name));
  const parts = kinds.flatMap((kind): readonly ShapePart[] => {
    const whole = kind === 'number' && understood && !types.includes('number');
    const named = !understood || types.includes(kind) || (whole && types.includes('integer'));
    const nullable = kind === 'null' && ownValue(schema, 'nullable') === true;
    if (!named && !nullable) return [];
    const exact = named && (understood || type === undefined) && !isUnread(schema, kind);
    return [{ kind, said: [{ schema, document }], exact, whole }];
  });
  const lists = ['enum', 'const'].flatMap((name): readonly (readonly unknown[])[] => {
    const value = ownValue(schema, name);
    if (value === undefined) return [];
    return name === 'const' ? [[value]] : Array.isArray(value) ? [value] : [];
  });
  return lists.reduce<SchemaShape>((shape, values) => shape.flatMap((part) => listed(part, values)), parts);
}

function isUnread(schema: JsonObject, kind: JsonKind): boolean {
  if ([...unread.any, ...unread[kind]].some((name) => ownValue(schema, name) !== undefined)) return true;
  if (kind === 'array') return Array.isArray(ownValue(schema, 'items'));
  return kind === 'number' && ['exclusiveMinimum', 'exclusiveMaximum'].some((name) => ownValue(schema, name) === true);
}

/** The part with only these values. It does not check whether an array or object among them satisfies the rest. */
function listed(part: ShapePart, values: readonly unknown[]): readonly ShapePart[] {
  const scalar = part.kind !== 'array' && part.kind !== 'object';
  const left = values.filter(
    (value) =>
      kindOf(value) === part.kind &&
      (part.values === undefined || isAmong(value, part.values)) &&
      !(scalar && wishes(value, part).length > 0),
  );
  return left.length === 0 ? [] : [{ ...part, values: left, exact: part.exact && scalar }];
}

const mostPairs = 256;
const mostSaid = 64;

function meet(one: SchemaShape, other: SchemaShape): SchemaShape {
  if (one === anything) return other;
  if (other === anything) return one;
  if (one.length * other.length > mostPairs || one.some((part) => part.said.length >= mostSaid)) return loosely(one);
  return one.flatMap((left) =>
    other.flatMap((right) => {
      if (left.kind !== right.kind) return [];
      const both: ShapePart = {
        kind: left.kind,
        said: [...new Set([...left.said, ...right.said])],
        exact: left.exact && right.exact,
        whole: left.whole || right.whole,
      };
      const lists = [left.values, right.values].flatMap((values) => (values === undefined ? [] : [values]));
      return lists.reduce<SchemaShape>((shape, values) => shape.flatMap((part) => listed(part, values)), [both]);
    }),
  );
}

/** Listed values of one kind become one part. What two alternatives of `oneOf` may both accept is not exact. */
function union(shapes: readonly SchemaShape[], exclusive: boolean): SchemaShape {
  return kinds.flatMap((kind) => {
    const parts = shapes.flat().filter((part) => part.kind === kind);
    const [first] = parts;
    if (first === undefined || parts.length === 1) return parts;
    const lists = parts.flatMap((part) => (part.values === undefined ? [] : [part]));
    const open = parts.filter((part) => part.values === undefined);
    const given = lists.flatMap((part) => part.values ?? []);
    const values = [...new Map(given.map((value) => [JSON.stringify(value), value])).values()];
    const apart = open.length === 0 && values.length === given.length;
    const exact = lists.every((part) => part.exact);
    const one: SchemaShape = lists.length === 0 ? [] : [{ kind, said: [], whole: false, exact, values }];
    return exclusive && !apart ? loosely([...one, ...open]) : [...one, ...open];
  });
}

const isDraft07 = (document: unknown): boolean =>
  isObject(document) && /draft-0[3-7]/.test(String(ownValue(document, '$schema')));

/** Follows a pointer inside its own document. Undefined: an anchor, another document, or nothing there. */
function resolve(reference: string, document: unknown): unknown {
  if (reference === '#' || reference === '') return document;
  if (!reference.startsWith('#/')) return undefined;
  let here: unknown = document;
  for (const part of reference.slice(2).split('/')) {
    if (isObject(here) && here !== document && isDocument(here)) return undefined;
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    here = isObject(here) || Array.isArray(here) ? ownValue(here as JsonObject, name) : undefined;
  }
  return here;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a lone % stands for itself
  }
}

/** The rest of a part of the value when every rule for it holds. */
function child(part: ShapePart, effort: Effort, of: (schema: JsonObject) => unknown): SchemaShape {
  return part.said.reduce(
    (shape, { schema, document }) => meet(shape, shapeOf(of(schema), document, effort)),
    anything,
  );
}

export const itemOf = (part: ShapePart, effort: Effort): SchemaShape =>
  child(part, effort, (schema) => {
    const items = ownValue(schema, 'items');
    return items === undefined || Array.isArray(items) || ownValue(schema, 'prefixItems') !== undefined ? true : items;
  });

/** The schema of an undeclared property. */
export const additionalOf = (part: ShapePart, effort: Effort): SchemaShape => child(part, effort, additionalIn);

const additionalIn = (schema: JsonObject): unknown =>
  ownValue(schema, 'patternProperties') === undefined ? (ownValue(schema, 'additionalProperties') ?? true) : true;

export const propertyOf = (part: ShapePart, name: string, effort: Effort): SchemaShape =>
  child(part, effort, (schema) => {
    const properties = ownValue(schema, 'properties');
    return (isObject(properties) ? ownValue(properties, name) : undefined) ?? additionalIn(schema);
  });

export const requiredOf = ({ said }: ShapePart): ReadonlySet<string> =>
  new Set(
    said.flatMap(({ schema }) => {
      const names = ownValue(schema, 'required');
      return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
    }),
  );

export const declaredOf = ({ said }: ShapePart): readonly string[] =>
  said.flatMap(({ schema }) => {
    const properties = ownValue(schema, 'properties');
    return isObject(properties) ? Object.keys(properties) : [];
  });

export function kindsIn(shape: SchemaShape): string {
  const named = (kind: JsonKind): string => {
    const parts = shape.filter((part) => part.kind === kind);
    return parts.length === 0 ? '' : kind === 'number' && parts.every((part) => part.whole) ? 'integer' : kind;
  };
  const names = kinds.map(named).filter((name) => name !== '');
  if (names.length === kinds.length && !names.includes('integer')) return 'any value';
  return names.length === 0 ? 'no value' : names.join(' or ');
}

/** The values of the shape, where it lists them all. */
export function listOf(shape: SchemaShape): readonly unknown[] | undefined {
  return shape.every((part) => part.values !== undefined) ? shape.flatMap((part) => part.values ?? []) : undefined;
}

/** The range of a number, a text's length or the count of items. An open end excludes the value itself. */
export interface Range {
  readonly least: number;
  readonly most: number;
  readonly openLeast: boolean;
  readonly openMost: boolean;
}

export const units: Readonly<Record<JsonKind, string>> = {
  null: '',
  boolean: '',
  number: '',
  string: ' characters',
  array: ' items',
  object: '',
};

/** The range as the schemas say it. */
export function rangeOf({ kind, said }: ShapePart): Range {
  const none: Range = { least: kind === 'number' ? -Infinity : 0, most: Infinity, openLeast: false, openMost: false };
  return said
    .flatMap(({ schema }) =>
      (bounds[kind] ?? []).map(([low, high, open]): Range => {
        const [least, most] = [ownValue(schema, low), ownValue(schema, high)];
        return {
          least: typeof least === 'number' ? least : none.least,
          most: typeof most === 'number' ? most : none.most,
          openLeast: open && typeof least === 'number',
          openMost: open && typeof most === 'number',
        };
      }),
    )
    .reduce(rangeWithin, none);
}

export function rangeWithin(one: Range, other: Range): Range {
  const least = Math.max(one.least, other.least);
  const most = Math.min(one.most, other.most);
  return {
    least,
    most,
    openLeast: (one.openLeast && one.least === least) || (other.openLeast && other.least === least),
    openMost: (one.openMost && one.most === most) || (other.openMost && other.most === most),
  };
}

/** The range as integers see it: more than 0 is at least 1. */
export function ofIntegers({ least, most, openLeast, openMost }: Range): Range {
  const first = openLeast && Number.isSafeInteger(least) ? least + 1 : Math.ceil(least);
  const last = openMost && Number.isSafeInteger(most) ? most - 1 : Math.floor(most);
  return { least: first, most: last, openLeast: openLeast && first === least, openMost: openMost && last === most };
}

export const isVoid = ({ least, most, openLeast, openMost }: Range): boolean =>
  least > most || (least === most && (openLeast || openMost));

/** The values that the part wants instead, judged only by its listed values and its range. */
export function wishes(value: unknown, part: ShapePart): readonly string[] {
  if (part.values !== undefined && !isAmong(value, part.values)) return [oneOf(part.values)];
  if (part.whole && !Number.isInteger(value)) return ['integer'];
  const size = typeof value === 'string' ? Array.from(value).length : Array.isArray(value) ? value.length : value;
  if (typeof size !== 'number') return [];
  const { least, most, openLeast, openMost } = rangeOf(part);
  const low = size < least || (openLeast && size === least);
  const high = size > most || (openMost && size === most);
  return [
    ...(low ? [`${openLeast ? 'more than' : 'at least'} ${least}${units[part.kind]}`] : []),
    ...(high ? [`${openMost ? 'less than' : 'at most'} ${most}${units[part.kind]}`] : []),
  ];
}

export const oneOf = (values: readonly unknown[]): string => `${values.length > 1 ? 'one of ' : ''}${showList(values)}`;
