// Which subschemas of one schema apply to a property or to an array position.
import type { Budget } from './budget.ts';
import { matches } from './pattern.ts';
import {
  hasInPlaceApplicator,
  keyword,
  listAt,
  locate,
  schemaAt,
  schemaMapAt,
  schemasAt,
  type Located,
  type LocatedObject,
} from './schema.ts';

export interface PropertySchemas {
  readonly certain: readonly Located[];
  /** Would apply if a pattern matches that could not be tried. */
  readonly possible: readonly Located[];
}

export function propertySchemas(located: LocatedObject, name: string, budget: Budget): PropertySchemas {
  const certain: Located[] = [];
  const possible: Located[] = [];
  const declared = schemaMapAt(located, 'properties').get(name);
  if (declared !== undefined) certain.push(declared);
  for (const [pattern, schema] of schemaMapAt(located, 'patternProperties')) {
    const matched = matches(pattern, name, budget);
    if (matched === true) certain.push(schema);
    if (matched === undefined) possible.push(schema);
  }
  if (certain.length > 0) return { certain, possible };
  const additional = additionalSchema(located);
  return possible.length === 0 ? { certain: [additional], possible } : { certain, possible: [...possible, additional] };
}

/** What applies to a property that is neither declared nor matched by a pattern. */
export function additionalSchema(located: LocatedObject): Located {
  const unevaluated = hasInPlaceApplicator(located) ? undefined : schemaAt(located, 'unevaluatedProperties');
  return schemaAt(located, 'additionalProperties') ?? unevaluated ?? locate(true, located.resource);
}

/** All the names that the schema allows, where it allows no others. */
export function closedNames(located: LocatedObject): readonly string[] | undefined {
  if (additionalSchema(located).schema !== false || schemaMapAt(located, 'patternProperties').size > 0)
    return undefined;
  return [...schemaMapAt(located, 'properties')]
    .filter(([, property]) => property.schema !== false)
    .map(([name]) => name);
}

export interface ItemSchemas {
  readonly prefix: readonly Located[];
  readonly rest: Located;
}

/** A tuple is `prefixItems` with `items`, or in draft-07 an `items` list with `additionalItems`. */
export function itemSchemas(located: LocatedObject): ItemSchemas {
  const anything = locate(true, located.resource);
  if (listAt(located, 'items') !== undefined) {
    return { prefix: schemasAt(located, 'items'), rest: schemaAt(located, 'additionalItems') ?? anything };
  }
  const alone = !hasInPlaceApplicator(located) && keyword(located, 'contains') === undefined;
  const unevaluated = alone ? schemaAt(located, 'unevaluatedItems') : undefined;
  return { prefix: schemasAt(located, 'prefixItems'), rest: schemaAt(located, 'items') ?? unevaluated ?? anything };
}

export function itemSchema(items: ItemSchemas, position: number): Located {
  return items.prefix[position] ?? items.rest;
}

/** The name of an "unevaluated" keyword whose reach this schema alone cannot tell. */
export function unevaluatedBeyond(located: LocatedObject): readonly ('unevaluatedProperties' | 'unevaluatedItems')[] {
  const applicator = hasInPlaceApplicator(located);
  const beyond = (name: string, decided: boolean): boolean => {
    const value = keyword(located, name);
    return value !== undefined && value !== true && !decided;
  };
  const names: ('unevaluatedProperties' | 'unevaluatedItems')[] = [];
  if (beyond('unevaluatedProperties', !applicator || keyword(located, 'additionalProperties') !== undefined))
    names.push('unevaluatedProperties');
  const itemsDecided =
    listAt(located, 'items') === undefined &&
    (keyword(located, 'items') !== undefined || (!applicator && keyword(located, 'contains') === undefined));
  if (beyond('unevaluatedItems', itemsDecided)) names.push('unevaluatedItems');
  return names;
}
