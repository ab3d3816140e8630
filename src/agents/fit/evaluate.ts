// Whether one value satisfies one schema, in three answers: yes, no, and unknown where drafts and validators disagree (format,
// nullable, draft-07 keywords beside $ref) or the schema cannot be followed. "yes" and "no" hold under every reading.
import { spend, type Budget } from './budget.ts';
import { evaluateArray } from './evaluate-array.ts';
import { evaluateObject } from './evaluate-object.ts';
import { canonical, isAmong, isObject, showList } from './json.ts';
import { describeKinds, kindOf, kindsOfType } from './kinds.ts';
import { misread } from './misread.ts';
import { matches } from './pattern.ts';
import {
  isObjectSchema,
  keyword,
  listAt,
  numberAt,
  resolve,
  schemaAt,
  schemasAt,
  textAt,
  type Located,
  type LocatedObject,
} from './schema.ts';
import { all, any, decided, exactlyOne, negated, no, softened, unknown, yes, type Verdict } from './verdict.ts';

const maximumDepth = 150;

export function evaluate(value: unknown, located: Located, budget: Budget, depth = 0): Verdict {
  if (!spend(budget) || depth > maximumDepth) {
    budget.exhausted = true;
    return unknown(value, 'what is too large to compare');
  }
  if (!isObjectSchema(located)) return decided(located.schema === true, value, 'nothing here');
  const below: Below = (child, schema) => evaluate(child, schema, budget, depth + 1);
  const siblings = all([
    ...misread(located).map((name) => unknown(value, `something its \`${name}\` does not say clearly`)),
    ...evaluateType(value, located),
    ...evaluateChoices(value, located, below),
    ...(typeof value === 'number' ? evaluateNumber(value, located) : []),
    ...(typeof value === 'string' ? evaluateText(value, located, budget) : []),
    ...(Array.isArray(value) ? evaluateArray(value, located, below) : []),
    ...(isObject(value) ? evaluateObject(value, located, below, budget) : []),
  ]);
  const reference = evaluateReference(value, located, below);
  if (reference === undefined) return siblings;
  return all([reference, located.resource.dialect === 'draft-07' ? softened(siblings) : siblings]);
}

/** Evaluates a part of the value, or the same value against a part of the schema. */
export type Below = (value: unknown, schema: Located) => Verdict;

function evaluateReference(value: unknown, located: LocatedObject, below: Below): Verdict | undefined {
  const dynamic = ['$dynamicRef', '$recursiveRef'].find((name) => keyword(located, name) !== undefined);
  if (dynamic !== undefined) return unknown(value, `what its \`${dynamic}\` refers to`);
  const reference = textAt(located, '$ref');
  if (reference === undefined) return undefined;
  const target = resolve(reference, located.resource);
  return target === undefined
    ? unknown(value, `what ${reference} describes, which cannot be followed here`)
    : below(value, target);
}

function evaluateType(value: unknown, located: LocatedObject): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  const kind = kindOf(value);
  const wanted = kindsOfType(located, 'narrowest');
  if (kind === undefined) verdicts.push(unknown(value, 'a JSON value'));
  else if (!wanted.has(kind))
    verdicts.push((kindsOfType(located, 'widest').has(kind) ? unknown : no)(value, describeKinds(wanted)));
  const values = listAt(located, 'enum');
  if (values !== undefined) {
    verdicts.push(
      decided(isAmong(value, values), value, values.length === 1 ? showList(values) : `one of ${showList(values)}`),
    );
  }
  const constant = keyword(located, 'const');
  if (constant !== undefined)
    verdicts.push(decided(canonical(constant) === canonical(value), value, showList([constant])));
  return verdicts;
}

function evaluateChoices(value: unknown, located: LocatedObject, below: Below): readonly Verdict[] {
  const verdicts: Verdict[] = schemasAt(located, 'allOf').map((schema) => below(value, schema));
  const anyOf = schemasAt(located, 'anyOf');
  if (anyOf.length > 0)
    verdicts.push(
      any(
        anyOf.map((schema) => below(value, schema)),
        value,
      ),
    );
  const oneOf = schemasAt(located, 'oneOf');
  if (oneOf.length > 0)
    verdicts.push(
      exactlyOne(
        oneOf.map((schema) => below(value, schema)),
        value,
      ),
    );
  const excluded = schemaAt(located, 'not');
  if (excluded !== undefined) verdicts.push(negated(below(value, excluded), value));
  const condition = schemaAt(located, 'if');
  if (condition !== undefined) verdicts.push(evaluateCondition(value, below(value, condition), located, below));
  return verdicts;
}

function evaluateCondition(value: unknown, condition: Verdict, located: LocatedObject, below: Below): Verdict {
  const consequence = (name: 'then' | 'else'): Verdict => {
    const schema = schemaAt(located, name);
    return schema === undefined ? yes : below(value, schema);
  };
  if (condition.answer === 'yes') return consequence('then');
  if (condition.answer === 'no') return consequence('else');
  const both = [consequence('then'), consequence('else')];
  return both.every((verdict) => verdict.answer === 'no') ? all(both) : softened(all(both));
}

function evaluateNumber(value: number, located: LocatedObject): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  const minimum = numberAt(located, 'minimum');
  if (minimum !== undefined) verdicts.push(decided(value >= minimum, value, `at least ${minimum}`));
  const maximum = numberAt(located, 'maximum');
  if (maximum !== undefined) verdicts.push(decided(value <= maximum, value, `at most ${maximum}`));
  const above = numberAt(located, 'exclusiveMinimum');
  if (above !== undefined) verdicts.push(decided(value > above, value, `more than ${above}`));
  const under = numberAt(located, 'exclusiveMaximum');
  if (under !== undefined) verdicts.push(decided(value < under, value, `less than ${under}`));
  if (keyword(located, 'exclusiveMinimum') === true && value === minimum)
    verdicts.push(unknown(value, `more than ${minimum}`));
  if (keyword(located, 'exclusiveMaximum') === true && value === maximum)
    verdicts.push(unknown(value, `less than ${maximum}`));
  const step = numberAt(located, 'multipleOf');
  if (step !== undefined) verdicts.push(evaluateMultiple(value, step));
  if (textAt(located, 'format') !== undefined)
    verdicts.push(unknown(value, `the format "${textAt(located, 'format')}"`));
  return verdicts;
}

/** Exact for integers; for fractions only where binary rounding cannot change the answer. */
function evaluateMultiple(value: number, step: number): Verdict {
  const wants = `a multiple of ${step}`;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return decided(value % step === 0, value, wants);
  const quotient = value / step;
  const distance = Math.abs(quotient - Math.round(quotient));
  if (!Number.isFinite(quotient) || Math.abs(quotient) > 1e9) return unknown(value, wants);
  if (value === 0 || (distance === 0 && quotient !== 0)) return yes;
  return (distance > 1e-6 ? no : unknown)(value, wants);
}

function evaluateText(value: string, located: LocatedObject, budget: Budget): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  const length = Array.from(value).length;
  const shortest = numberAt(located, 'minLength');
  if (shortest !== undefined) verdicts.push(decided(length >= shortest, value, `at least ${shortest} characters`));
  const longest = numberAt(located, 'maxLength');
  if (longest !== undefined) verdicts.push(decided(length <= longest, value, `at most ${longest} characters`));
  const pattern = textAt(located, 'pattern');
  if (pattern !== undefined) {
    const matched = matches(pattern, value, budget);
    const wants = `text that matches /${pattern}/`;
    verdicts.push(
      matched === undefined ? unknown(value, `${wants}, which could not be tried`) : decided(matched, value, wants),
    );
  }
  const format = textAt(located, 'format');
  if (format !== undefined) verdicts.push(unknown(value, `the format "${format}", which is not checked here`));
  return verdicts;
}
