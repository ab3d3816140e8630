// The object keywords, for one value.
import type { Budget } from './budget.ts';
import { propertySchemas, unevaluatedBeyond } from './children.ts';
import { segment, type JsonObject } from './json.ts';
import { numberAt, schemaAt, schemaMapAt, textsAt, type Located, type LocatedObject } from './schema.ts';
import { dependenciesOf } from './dependencies.ts';
import { all, decided, no, softened, under, type Verdict } from './verdict.ts';

type Below = (value: unknown, schema: Located) => Verdict;

export function evaluateObject(
  value: JsonObject,
  located: LocatedObject,
  below: Below,
  budget: Budget,
): readonly Verdict[] {
  const names = Object.keys(value);
  const verdicts: Verdict[] = names.flatMap((name) => evaluateProperty(value, name, located, below, budget));
  for (const name of textsAt(located, 'required')) {
    if (!Object.hasOwn(value, name)) verdicts.push(no(value, `\`${name}\`, which is required`));
  }
  const fewest = numberAt(located, 'minProperties');
  if (fewest !== undefined) verdicts.push(decided(names.length >= fewest, value, `at least ${fewest} properties`));
  const most = numberAt(located, 'maxProperties');
  if (most !== undefined) verdicts.push(decided(names.length <= most, value, `at most ${most} properties`));
  const naming = schemaAt(located, 'propertyNames');
  if (naming !== undefined) verdicts.push(...names.map((name) => below(name, naming)));
  for (const dependency of dependenciesOf(located)) {
    if (!Object.hasOwn(value, dependency.trigger)) continue;
    const missing = dependency.required.filter((name) => !Object.hasOwn(value, name));
    const verdict = all([
      ...missing.map((name) => no(value, `\`${name}\`, which is required with \`${dependency.trigger}\``)),
      ...dependency.schemas.map((schema) => below(value, schema)),
    ]);
    verdicts.push(dependency.standing === 'disputed' ? softened(verdict) : verdict);
  }
  return verdicts;
}

function evaluateProperty(
  value: JsonObject,
  name: string,
  located: LocatedObject,
  below: Below,
  budget: Budget,
): readonly Verdict[] {
  const schemas = propertySchemas(located, name, budget);
  const beyond =
    unevaluatedBeyond(located).includes('unevaluatedProperties') && !schemaMapAt(located, 'properties').has(name);
  const unevaluated = beyond ? schemaAt(located, 'unevaluatedProperties') : undefined;
  const possible = unevaluated === undefined ? schemas.possible : [...schemas.possible, unevaluated];
  return [
    ...schemas.certain.map((schema) => below(value[name], schema)),
    ...possible.map((schema) => softened(below(value[name], schema))),
  ].map((verdict) => under(segment(name), verdict));
}
