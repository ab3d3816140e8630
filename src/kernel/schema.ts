// JSON Schema as the kernel sees it: data, and a check that the caller passes in. The kernel itself compiles nothing.

export type JsonSchema = boolean | { readonly [key: string]: unknown };

export interface Violation {
  /** JSON path of the offending value: `$.items[2].price`. */
  readonly path: string;
  readonly message: string;
}

/** Pure: the same schema and value always give the same violations, all of them. */
export type SchemaCheck = (schema: JsonSchema, value: unknown) => readonly Violation[];

export type Format = 'markdown' | 'text' | 'json';

/** The input that an agent takes. `any`: its file does not say, so it takes any input in the form in which it comes. */
export interface InputContract {
  readonly format: Format | 'any';
  readonly schema?: JsonSchema;
}

/** The form of an answer. */
export interface OutputContract {
  readonly format: Format;
  readonly schema?: JsonSchema;
  /** Schemas that JSON must satisfy, too. Models are not shown them, and are told of each violation. */
  readonly also?: readonly ConditionalSchema[];
}

/** A schema for those values that satisfy another one. */
export interface ConditionalSchema {
  readonly when: JsonSchema;
  readonly schema: JsonSchema;
}

/** Every violation of a contract for JSON. */
export const contractViolations = (
  { schema = true, also = [] }: OutputContract,
  value: unknown,
  check: SchemaCheck,
) => [
  ...check(schema, value),
  ...also.flatMap(({ when, schema: wanted }) => (check(when, value).length === 0 ? check(wanted, value) : [])),
];

export const isObjectSchema = (schema: JsonSchema | undefined): schema is { readonly [key: string]: unknown } =>
  typeof schema === 'object' &&
  (schema['type'] === 'object' || (schema['type'] === undefined && 'properties' in schema));

export const listViolations = (violations: readonly Violation[]): string =>
  violations.map(({ path, message }) => `- ${path} ${message}`).join('\n');
