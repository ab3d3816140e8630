// The keywords of one schema that do not have the type they must have. `cadre check` reports them as invalid on its own account;
// here they only keep a proof from resting on them.
import { isObject, own } from './json.ts';
import { isSchema, type LocatedObject } from './schema.ts';

type Shape = (value: unknown) => boolean;

const isNumber: Shape = (value) => typeof value === 'number' && Number.isFinite(value);
const isCount: Shape = (value) => Number.isInteger(value) && (value as number) >= 0;
const isText: Shape = (value) => typeof value === 'string';
const isFlag: Shape = (value) => typeof value === 'boolean';
const isTexts: Shape = (value) => Array.isArray(value) && value.every(isText);
const isSchemas: Shape = (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isMapOf =
  (shape: Shape): Shape =>
  (value) =>
    isObject(value) && Object.values(value).every(shape);
const either =
  (...shapes: readonly Shape[]): Shape =>
  (value) =>
    shapes.some((shape) => shape(value));

const typeNames = new Set<unknown>(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']);
const isTypeName: Shape = (value) => typeNames.has(value);

const keywordsByShape: readonly (readonly [Shape, readonly string[]])[] = [
  [either(isTypeName, (value) => Array.isArray(value) && value.every(isTypeName)), ['type']],
  [Array.isArray, ['enum']],
  [isNumber, ['minimum', 'maximum']],
  [either(isNumber, isFlag), ['exclusiveMinimum', 'exclusiveMaximum']],
  [(value) => isNumber(value) && (value as number) > 0, ['multipleOf']],
  [isCount, ['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains']],
  [isCount, ['minProperties', 'maxProperties']],
  [isText, ['pattern', 'format', '$ref']],
  [isFlag, ['uniqueItems']],
  [isTexts, ['required']],
  [isSchema, ['additionalItems', 'contains', 'unevaluatedItems', 'not', 'if', 'then', 'else']],
  [isSchema, ['additionalProperties', 'unevaluatedProperties', 'propertyNames']],
  [isSchemas, ['prefixItems', 'allOf', 'anyOf', 'oneOf']],
  [either(isSchema, isSchemas), ['items']],
  [isMapOf(isSchema), ['properties', 'patternProperties', 'dependentSchemas']],
  [isMapOf(isTexts), ['dependentRequired']],
  [isMapOf(either(isTexts, isSchema)), ['dependencies']],
];

const shapes = new Map(keywordsByShape.flatMap(([shape, names]) => names.map((name) => [name, shape] as const)));

export function misread(located: LocatedObject): readonly string[] {
  return Object.keys(located.schema).filter((name) => shapes.get(name)?.(own(located.schema, name)) === false);
}
