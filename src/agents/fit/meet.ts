// A meet is the set of values that several schemas all allow, with `allOf` and `$ref` already followed.
// It may be wider than the truth (what cannot be read constrains nothing), never narrower: what holds for the meet holds for the values.
import {
  isObjectSchema,
  locationKey,
  resolve,
  schemaAt,
  schemasAt,
  textAt,
  type Located,
  type LocatedObject,
  type Side,
} from './schema.ts';

export interface Branch {
  readonly within: readonly Located[];
  readonly outside: readonly Located[];
}

/** The value is in at least one of the branches. */
export interface Choice {
  readonly key: string;
  readonly branches: readonly Branch[];
}

export interface Meet {
  /** Every value satisfies each of these whole; their own keywords have been taken into account nowhere else. */
  readonly members: readonly LocatedObject[];
  readonly choices: readonly Choice[];
  /** No value satisfies any of these. */
  readonly outside: readonly Located[];
  /** The sides that allow nothing at all. */
  readonly refusedBy: readonly Side[];
  /** In how many parts the original meet has been split by now. */
  readonly parts: number;
}

export const everything: Meet = { members: [], choices: [], outside: [], refusedBy: [], parts: 1 };

export function meetOf(schemas: readonly Located[]): Meet {
  return narrow(everything, { within: schemas, outside: [] });
}

export function narrow(meet: Meet, { within, outside }: Branch): Meet {
  const members = new Map(meet.members.map((member) => [locationKey(member), member]));
  const excluded = new Map(meet.outside.map((schema) => [locationKey(schema), schema]));
  const refusedBy = new Set(meet.refusedBy);
  const choices = [...meet.choices];
  const followed = new Set<string>();
  const exclude = (schema: Located): void => void excluded.set(locationKey(schema), schema);
  outside.forEach(exclude);
  const pending = [...within].reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!isObjectSchema(next)) {
      if (next.schema === false) refusedBy.add(next.resource.side);
      continue;
    }
    const key = locationKey(next);
    if (members.has(key) || followed.has(key)) continue;
    const target = targetOf(next);
    if (target !== undefined) pending.push(target);
    if (target !== undefined && isBareReference(next)) {
      followed.add(key);
      continue;
    }
    members.set(key, next);
    if (isOnlyReference(next)) continue;
    pending.push(...schemasAt(next, 'allOf'));
    choices.push(...choicesOf(next));
    const not = schemaAt(next, 'not');
    if (not !== undefined) exclude(not);
  }
  return {
    members: [...members.values()],
    choices,
    outside: [...excluded.values()],
    refusedBy: [...refusedBy],
    parts: meet.parts,
  };
}

function targetOf(located: LocatedObject): Located | undefined {
  const reference = textAt(located, '$ref');
  return reference === undefined ? undefined : resolve(reference, located.resource);
}

/** What says nothing but where to look is left out of the meet, so that the same question is known again. */
function isBareReference(located: LocatedObject): boolean {
  return (
    isOnlyReference(located) || Object.keys(located.schema).every((name) => name === '$ref' || name === 'description')
  );
}

/** Draft-07 ignores what stands beside `$ref`, and validators do not: at its widest, it is the reference alone. */
export function isOnlyReference(located: LocatedObject): boolean {
  return located.resource.dialect === 'draft-07' && textAt(located, '$ref') !== undefined;
}

function choicesOf(located: LocatedObject): readonly Choice[] {
  const choices: Choice[] = [];
  for (const name of ['anyOf', 'oneOf']) {
    const branches = schemasAt(located, name).map((schema) => ({ within: [schema], outside: [] }));
    if (branches.length > 0) choices.push({ key: `${locationKey(located)}:${name}`, branches });
  }
  const condition = schemaAt(located, 'if');
  if (condition !== undefined) {
    const consequence = (name: string): readonly Located[] => [schemaAt(located, name) ?? []].flat();
    choices.push({
      key: `${locationKey(located)}:if`,
      branches: [
        { within: [condition, ...consequence('then')], outside: [] },
        { within: consequence('else'), outside: [condition] },
      ],
    });
  }
  return choices;
}

const maximumParts = 64;

/** The parts that together hold every value of the meet, by its first choice. Undefined where there is none, or it would be too many. */
export function split(meet: Meet): readonly Meet[] | undefined {
  const [choice, ...choices] = meet.choices;
  if (choice === undefined) return undefined;
  const parts = meet.parts * choice.branches.length;
  if (parts > maximumParts) return undefined;
  return choice.branches.map((branch) => narrow({ ...meet, choices, parts }, branch));
}

export function meetKey(meet: Meet): string {
  const keys = [
    ...meet.members.map(locationKey),
    ...meet.choices.map((choice) => choice.key),
    ...meet.outside.map((schema) => `!${locationKey(schema)}`),
    ...meet.refusedBy,
  ];
  return keys.sort().join(' ');
}

/** What one side says plainly, for messages that say who gives and who wants. */
export function sideOf(meet: Meet, side: Side): Meet {
  const isOnSide = (schema: Located): boolean => schema.resource.side === side;
  return { ...everything, members: meet.members.filter(isOnSide), outside: meet.outside.filter(isOnSide) };
}
