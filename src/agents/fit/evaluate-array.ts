// The array keywords, for one value.
import { itemSchema, itemSchemas, unevaluatedBeyond } from './children.ts';
import { canonical } from './json.ts';
import { keyword, numberAt, schemaAt, type Located, type LocatedObject } from './schema.ts';
import { decided, softened, under, unknown, yes, type Verdict } from './verdict.ts';

export function evaluateArray(
  value: readonly unknown[],
  located: LocatedObject,
  below: (value: unknown, schema: Located) => Verdict,
): readonly Verdict[] {
  const items = itemSchemas(located);
  const verdicts = value.map((item, position) => under(`[${position}]`, below(item, itemSchema(items, position))));
  const fewest = numberAt(located, 'minItems');
  if (fewest !== undefined) verdicts.push(decided(value.length >= fewest, value, `at least ${fewest} items`));
  const most = numberAt(located, 'maxItems');
  if (most !== undefined) verdicts.push(decided(value.length <= most, value, `at most ${most} items`));
  if (keyword(located, 'uniqueItems') === true) {
    verdicts.push(decided(new Set(value.map(canonical)).size === value.length, value, 'no item twice'));
  }
  const wanted = schemaAt(located, 'contains');
  if (wanted !== undefined)
    verdicts.push(
      evaluateContains(
        value,
        located,
        value.map((item) => below(item, wanted)),
      ),
    );
  const unevaluated = unevaluatedBeyond(located).includes('unevaluatedItems')
    ? schemaAt(located, 'unevaluatedItems')
    : undefined;
  if (unevaluated !== undefined) {
    const beyond = value.slice(items.prefix.length);
    verdicts.push(
      ...beyond.map((item, index) => under(`[${index + items.prefix.length}]`, softened(below(item, unevaluated)))),
    );
  }
  return verdicts;
}

function evaluateContains(value: readonly unknown[], located: LocatedObject, found: readonly Verdict[]): Verdict {
  const surely = found.filter((verdict) => verdict.answer === 'yes').length;
  const perhaps = surely + found.filter((verdict) => verdict.answer === 'unknown').length;
  const fewest = numberAt(located, 'minContains') ?? 1;
  const most = numberAt(located, 'maxContains') ?? Infinity;
  const wants = 'the items that its `contains` asks for';
  if (surely >= fewest && perhaps <= most) return yes;
  return perhaps < fewest || surely > most ? decided(false, value, wants) : unknown(value, wants);
}
