// The type of the values that a JSON Schema lets through, for schemas that are written out in a program. Knows the
// keywords that such schemas use; where a schema says something else, or its type is not known, the value is `unknown`.

import type { JsonSchema } from '../kernel/schema.ts';

export type InputOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer One)[] }
      ? InputOf<One>
      : Schema extends { readonly oneOf: readonly (infer One)[] }
        ? InputOf<One>
        : Schema extends { readonly type: infer Type }
          ? ByType<Type extends readonly (infer One)[] ? One : Type, Schema>
          : unknown;

/** Takes one type at a time, so that a list of types gives a union. */
type ByType<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? ArrayOf<Schema>
          : Type extends 'object'
            ? ObjectOf<Schema>
            : unknown;

type ArrayOf<Schema> = Schema extends { readonly items: infer Items extends JsonSchema }
  ? readonly InputOf<Items>[]
  : readonly unknown[];

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { readonly [Name in keyof Properties & RequiredOf<Schema>]: InputOf<Properties[Name]> } & {
        readonly [Name in Exclude<keyof Properties, RequiredOf<Schema>>]?: InputOf<Properties[Name]>;
      }
    >
  : Schema extends { readonly additionalProperties: infer Values extends JsonSchema }
    ? Values extends boolean
      ? { readonly [name: string]: unknown }
      : { readonly [name: string]: InputOf<Values> }
    : { readonly [name: string]: unknown };

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

/** The same, as one object that reads well where an editor shows it. */
type Flat<Of> = { [Name in keyof Of]: Of[Name] };
