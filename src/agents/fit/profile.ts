// The plain bounds of a meet: which kinds of value it may hold, and how large, long and many. Wider than the truth at most.
import { allKinds, kindOf, kindsOfType, type Kind, type Kinds, type Reading } from './kinds.ts';
import { isOnlyReference, type Meet } from './meet.ts';
import {
  isObjectSchema,
  keyword,
  listAt,
  numberAt,
  schemaAt,
  textsAt,
  type Located,
  type LocatedObject,
} from './schema.ts';

export interface Bound {
  readonly value: number;
  /** An open bound does not allow the value itself. */
  readonly open: boolean;
}

export interface Range {
  readonly fewest: number;
  readonly most: number;
}

export interface Profile {
  /** The members whose keywords count: all but the draft-07 references. */
  readonly members: readonly LocatedObject[];
  readonly kinds: Kinds;
  readonly lower: Bound;
  readonly upper: Bound;
  readonly steps: readonly number[];
  readonly length: Range;
  readonly items: Range;
  readonly properties: Range;
  readonly required: ReadonlySet<string>;
}

const profiles = new WeakMap<Meet, Profile>();

export function profileOf(meet: Meet): Profile {
  const known = profiles.get(meet);
  if (known !== undefined) return known;
  const members = meet.members.filter((member) => !isOnlyReference(member));
  const steps = members.flatMap((member) => numberAt(member, 'multipleOf') ?? []).filter((step) => step > 0);
  const required = new Set(members.flatMap((member) => textsAt(member, 'required')));
  const contained = Math.max(0, ...members.map(fewestContained));
  const kinds = members.map(kindsOfMember);
  kinds.push(...meet.outside.map(kindsOutside));
  if (steps.some(Number.isInteger)) kinds.push(new Set(allKinds.filter((kind) => kind !== 'fraction')));
  const profile: Profile = {
    members,
    kinds: new Set(allKinds.filter((kind) => kinds.every((set) => set.has(kind)))),
    lower: members.flatMap((member) => lowerBounds(member, 'widest')).reduce(higher, { value: -Infinity, open: false }),
    upper: members.flatMap((member) => upperBounds(member, 'widest')).reduce(lowerOf, { value: Infinity, open: false }),
    steps,
    length: rangeOf(members, 'minLength', 'maxLength', 0),
    items: rangeOf(members, 'minItems', 'maxItems', contained),
    properties: rangeOf(members, 'minProperties', 'maxProperties', required.size),
    required,
  };
  profiles.set(meet, profile);
  return profile;
}

function kindsOfMember(member: LocatedObject): Kinds {
  const named = kindsOfType(member, 'widest');
  const values = valuesOf(member);
  if (values === undefined) return named;
  const present = new Set<Kind | undefined>(values.map(kindOf));
  return new Set([...named].filter((kind) => present.has(kind)));
}

/** `not` a bare type leaves the other kinds; anything else that is excluded leaves all. */
function kindsOutside(excluded: Located): Kinds {
  if (!isObjectSchema(excluded) || Object.keys(excluded.schema).join() !== 'type') return new Set(allKinds);
  const gone = kindsOfType(excluded, 'narrowest');
  return new Set(allKinds.filter((kind) => !gone.has(kind)));
}

/** The values that `enum` or `const` lists. */
export function valuesOf(member: LocatedObject): readonly unknown[] | undefined {
  const constant = keyword(member, 'const');
  return constant === undefined ? listAt(member, 'enum') : [constant];
}

export function lowerBounds(located: LocatedObject, reading: Reading): readonly Bound[] {
  return bounds(located, 'minimum', 'exclusiveMinimum', reading);
}

export function upperBounds(located: LocatedObject, reading: Reading): readonly Bound[] {
  return bounds(located, 'maximum', 'exclusiveMaximum', reading);
}

/** The draft-04 form, where `exclusiveMinimum` is true beside `minimum`, opens the bound only at the narrowest. */
function bounds(located: LocatedObject, closed: string, open: string, reading: Reading): readonly Bound[] {
  const value = numberAt(located, closed);
  const beyond = numberAt(located, open);
  const opened = reading === 'narrowest' && keyword(located, open) === true;
  return [
    ...(value === undefined ? [] : [{ value, open: opened }]),
    ...(beyond === undefined ? [] : [{ value: beyond, open: true }]),
  ];
}

function higher(one: Bound, other: Bound): Bound {
  if (one.value !== other.value) return one.value > other.value ? one : other;
  return one.open ? one : other;
}

function lowerOf(one: Bound, other: Bound): Bound {
  if (one.value !== other.value) return one.value < other.value ? one : other;
  return one.open ? one : other;
}

/** The bound as integers see it: more than 0 is at least 1. */
export function integerLower({ value, open }: Bound): Bound {
  const next = open && Number.isSafeInteger(value) ? value + 1 : Math.ceil(value);
  return { value: next, open: open && next === value };
}

export function integerUpper({ value, open }: Bound): Bound {
  const next = open && Number.isSafeInteger(value) ? value - 1 : Math.floor(value);
  return { value: next, open: open && next === value };
}

export function crossed(lower: Bound, upper: Bound): boolean {
  return lower.value > upper.value || (lower.value === upper.value && (lower.open || upper.open));
}

function rangeOf(members: readonly LocatedObject[], fewest: string, most: string, floor: number): Range {
  return {
    fewest: Math.max(floor, ...members.map((member) => numberAt(member, fewest) ?? 0)),
    most: Math.min(...members.map((member) => numberAt(member, most) ?? Infinity)),
  };
}

function fewestContained(member: LocatedObject): number {
  return schemaAt(member, 'contains') === undefined ? 0 : (numberAt(member, 'minContains') ?? 1);
}
