// Compares what an upstream gives with what a downstream wants: why no value can be both (reasons), and which values
// of the upstream the downstream refuses (doubts).
// COMPARE-1. Reasons use only what each side certainly requires, so they hold whatever else the schemas say.
// COMPARE-2. A doubt stands for a value that exists: the left is exact there, and the values around it can be given.
// COMPARE-3. A comparison that recurs below itself, or for which the effort is spent, finds nothing.
import {
  additionalOf,
  declaredOf,
  type Effort,
  isVoid,
  itemOf,
  kindsIn,
  listOf,
  ofIntegers,
  oneOf,
  propertyOf,
  type Range,
  rangeOf,
  rangeWithin,
  requiredOf,
  type SchemaShape,
  type ShapePart,
  units,
  wishes,
  withEffort,
} from './shape.ts';
import { isAmong, isObject, kindOf, segment, showList, showValue } from './values.ts';

export interface Note {
  /** The path below the compared values: `.items[*]`, or empty for the values themselves. */
  readonly path: string;
  readonly message: string;
}

const mostNotes = 20;
const note = (message: string): readonly Note[] => [{ path: '', message }];
const below = <Placed extends { readonly path: string }>(path: string, notes: readonly Placed[]): readonly Placed[] =>
  notes.map((each) => ({ ...each, path: path + each.path }));

type Reasons = readonly Note[] | undefined;

/** The notes of all of them, if each has some. */
function every<Item>(items: Iterable<Item>, reasonsOf: (item: Item) => Reasons): Reasons {
  const notes: Note[] = [];
  for (const item of items) {
    const reasons = reasonsOf(item);
    if (reasons === undefined) return undefined;
    if (notes.length < mostNotes) notes.push(...reasons);
  }
  return notes.slice(0, mostNotes);
}

export function findReasons(given: SchemaShape, wanted: SchemaShape, effort: Effort): Reasons {
  return withEffort(effort, undefined, () => {
    if (given.length === 0) return note('upstream allows no value here');
    if (wanted.length === 0) return note('downstream allows no value here');
    const [gives, wants] = [listOf(given), listOf(wanted)];
    if (gives !== undefined && wants !== undefined)
      return gives.some((value) => isListed(value, wanted))
        ? undefined
        : note(`upstream gives ${showList(gives)}, downstream wants ${showList(wants)}`);
    if (gives !== undefined)
      return every(gives, (value) =>
        refused(value, wanted, effort, (shown, wish) => `upstream gives ${shown}, downstream wants ${wish}`),
      );
    if (wants !== undefined)
      return every(wants, (value) =>
        refused(value, given, effort, (shown, wish) => `downstream wants ${shown}, upstream gives only ${wish}`),
      );
    const apart = every(samesOf(given, wanted), ([left, right]) => conflict(left, right, effort));
    return apart?.length === 0 ? note(`upstream gives ${kindsIn(given)}, downstream wants ${kindsIn(wanted)}`) : apart;
  });
}

function refused(
  value: unknown,
  shape: SchemaShape,
  effort: Effort,
  message: (shown: string, wants: string) => string,
): Reasons {
  const found = refusals(value, shape, effort);
  return found.length === 0
    ? undefined
    : found.map((each) => ({ path: each.path, message: message(showValue(each.value), each.wants) }));
}

function* samesOf(given: SchemaShape, wanted: SchemaShape): Generator<readonly [ShapePart, ShapePart]> {
  for (const left of given) for (const right of wanted) if (left.kind === right.kind) yield [left, right];
}

/** The reason why no value is in both parts. Both are of one kind. */
function conflict(left: ShapePart, right: ShapePart, effort: Effort): Reasons {
  if (left.values !== undefined || right.values !== undefined) return findReasons([left], [right], effort);
  return withEffort(effort, undefined, () => {
    const [gives, wants] = [rangeOf(left), rangeOf(right)];
    const common = rangeWithin(gives, wants);
    const possible = left.whole || right.whole ? ofIntegers(common) : common;
    if (isVoid(possible))
      return note(`upstream gives ${ranged(gives, left)}, downstream wants ${ranged(wants, right)}`);
    if (left.kind === 'array' && common.least > 0) {
      const reasons = findReasons(itemOf(left, effort), itemOf(right, effort), effort);
      return reasons === undefined ? undefined : below('[*]', reasons);
    }
    return left.kind === 'object' ? missing(left, right, effort) : undefined;
  });
}

function ranged({ least, most, openLeast, openMost }: Range, { kind }: ShapePart): string {
  const unit = units[kind];
  const parts = [
    ...(least === (kind === 'number' ? -Infinity : 0) ? [] : [`${openLeast ? 'more than' : 'at least'} ${least}`]),
    ...(most === Infinity ? [] : [`${openMost ? 'less than' : 'at most'} ${most}`]),
  ];
  if (parts.length > 0) return parts.join(' and ') + unit;
  return kind === 'number' ? 'any number' : `any number of${unit}`;
}

/** A property that is required on one side and impossible on the other. */
function missing(left: ShapePart, right: ShapePart, effort: Effort): Reasons {
  const [always, wanted] = [requiredOf(left), requiredOf(right)];
  for (const name of new Set([...always, ...wanted])) {
    const [gives, wants] = [propertyOf(left, name, effort), propertyOf(right, name, effort)];
    const reasons = findReasons(gives, wants, effort);
    if (reasons === undefined) continue;
    const path = segment(name);
    if (gives.length === 0 && wanted.has(name))
      return [{ path, message: `downstream requires \`${name}\`, which upstream never gives` }];
    if (wants.length === 0 && always.has(name))
      return [{ path, message: `upstream always gives \`${name}\`, which downstream does not allow` }];
    return below(path, reasons);
  }
  return undefined;
}

/** True if the upstream can certainly give a value of this part. */
function isGiven(part: ShapePart, effort: Effort): boolean {
  return withEffort(effort, false, () => {
    if (!part.exact) return false;
    if (part.values !== undefined) return true;
    const range = rangeOf(part);
    if (isVoid(part.whole ? ofIntegers(range) : range)) return false;
    if (part.kind === 'array' && range.least > 0) return canGive(itemOf(part, effort), effort);
    if (part.kind !== 'object') return true;
    return [...requiredOf(part)].every((name) => canGive(propertyOf(part, name, effort), effort));
  });
}

const canGive = (shape: SchemaShape, effort: Effort): boolean => shape.some((part) => isGiven(part, effort));

export function findDoubts(given: SchemaShape, wanted: SchemaShape, effort: Effort): readonly Note[] {
  const open = effort.open.get(given) ?? new Set<SchemaShape>();
  if (open.has(wanted)) return []; // COMPARE-3
  effort.open.set(given, open.add(wanted));
  const doubts = doubtsBetween(given, wanted, effort);
  open.delete(wanted);
  return doubts;
}

function doubtsBetween(given: SchemaShape, wanted: SchemaShape, effort: Effort): readonly Note[] {
  return withEffort(effort, [], () => {
    const parts = given.filter((part) => isGiven(part, effort));
    const strange = parts.filter((part) => isStrange(part, wanted));
    const kindDoubts =
      strange.length === 0
        ? []
        : note(
            wanted.length === 0
              ? 'upstream may give a value here, downstream allows none'
              : `upstream may give ${kindsIn(strange)}, downstream wants ${kindsIn(wanted)}`,
          );
    return [...kindDoubts, ...parts.flatMap((part) => partDoubts(part, wanted, effort))].slice(0, mostNotes);
  });
}

/** True if the part holds a kind of value of which the downstream takes none. */
function isStrange(part: ShapePart, wanted: SchemaShape): boolean {
  if (part.values !== undefined) return false;
  const same = wanted.filter((each) => each.kind === part.kind);
  if (same.length === 0) return true;
  if (part.kind !== 'number' || part.whole || !same.every((each) => each.whole && each.values === undefined))
    return false;
  const { least, most } = rangeOf(part);
  return Math.max(least, -(2 ** 50)) < Math.min(most, 2 ** 50) || (least === most && !Number.isInteger(least));
}

function partDoubts(left: ShapePart, wanted: SchemaShape, effort: Effort): readonly Note[] {
  const same = wanted.filter((part) => part.kind === left.kind);
  const values = left.values ?? (left.kind === 'boolean' && same.length > 0 ? [false, true] : undefined);
  if (values !== undefined)
    return values.flatMap(
      (value) =>
        refused(value, wanted, effort, (shown, wish) => `upstream may give ${shown}, downstream wants ${wish}`) ?? [],
    );
  const [right, another] = same;
  if (right === undefined) return [];
  if (another !== undefined)
    return every(same, (part) => conflict(left, part, effort)) === undefined
      ? []
      : note(`upstream may give ${kindsIn([left])} that fits none of downstream's alternatives`);
  if (right.values !== undefined)
    return fewest(left) > right.values.length
      ? note(`upstream allows values other than ${showList(listOf(wanted) ?? right.values)}`)
      : [];
  if (left.kind === 'object') return objectDoubts(left, right, effort);
  if (left.kind === 'number') return numberDoubts(left, right);
  return left.kind === 'null' ? [] : countDoubts(left, right, effort);
}

/** A lower bound of the number of values in the part, which is not empty. */
function fewest({ kind, ...part }: ShapePart): number {
  const range = rangeOf({ kind, ...part });
  const { least, most } = part.whole ? ofIntegers(range) : range;
  if (kind === 'number') return part.whole ? most - least + 1 : most > least ? Infinity : 1;
  return kind === 'string' && most > 0 ? Infinity : 1;
}

function numberDoubts(left: ShapePart, right: ShapePart): readonly Note[] {
  const gives = left.whole ? ofIntegers(rangeOf(left)) : rangeOf(left);
  const wants = rangeOf(right);
  const { least, most, openLeast, openMost } = gives;
  const smaller = least < wants.least || (least === wants.least && wants.openLeast && !openLeast);
  const larger = most > wants.most || (most === wants.most && wants.openMost && !openMost);
  const edge = (word: string, value: number, open: boolean): string =>
    `numbers ${word} ${value}${open ? ' (without it)' : ''}`;
  return [
    ...(smaller
      ? note(
          `upstream may give ${least === -Infinity ? 'any smaller number' : edge('from', least, openLeast)}, downstream wants ${wants.openLeast ? 'more than' : 'at least'} ${wants.least}`,
        )
      : []),
    ...(larger
      ? note(
          `upstream may give ${most === Infinity ? 'any larger number' : edge('up to', most, openMost)}, downstream wants ${wants.openMost ? 'less than' : 'at most'} ${wants.most}`,
        )
      : []),
  ];
}

/** Doubts about the length of a text, and about the number and kind of items in an array. */
function countDoubts(left: ShapePart, right: ShapePart, effort: Effort): readonly Note[] {
  const [gives, wants] = [rangeOf(left), rangeOf(right)];
  const isText = left.kind === 'string';
  const notes: Note[] = [];
  const counted = (count: number): string => (isText ? `text of ${count} characters` : `${count} items`);
  const unit = isText ? ' characters' : '';
  if (gives.least < wants.least) {
    const least = gives.least > 0 ? counted(gives.least) : isText ? 'an empty text' : 'an empty array';
    notes.push(...note(`upstream may give ${least}, downstream wants at least ${wants.least}${unit}`));
  }
  const item = isText ? [] : itemOf(left, effort);
  if (gives.most > wants.most && (isText || canGive(item, effort))) {
    const any = isText ? 'text of any length' : 'any number of items';
    const most = gives.most === Infinity ? any : counted(gives.most);
    notes.push(...note(`upstream may give ${most}, downstream wants at most ${wants.most}${unit}`));
  }
  if (isText || gives.most < 1) return notes;
  return [...notes, ...below('[*]', findDoubts(item, itemOf(right, effort), effort))];
}

function objectDoubts(left: ShapePart, right: ShapePart, effort: Effort): readonly Note[] {
  const always = requiredOf(left);
  const absent = [...requiredOf(right)]
    .filter((name) => !always.has(name))
    .map((name) => ({ path: segment(name), message: `upstream may leave out \`${name}\`, which is required` }));
  const held = [...new Set([...declaredOf(left), ...declaredOf(right), ...always])].flatMap((name) => {
    const wants = propertyOf(right, name, effort);
    const doubts = findDoubts(propertyOf(left, name, effort), wants, effort);
    const message = `upstream may give \`${name}\`, which downstream does not allow`;
    return wants.length === 0 && doubts.length > 0 ? [{ path: segment(name), message }] : below(segment(name), doubts);
  });
  const wants = additionalOf(right, effort);
  const others = findDoubts(additionalOf(left, effort), wants, effort);
  const message = 'upstream may give properties that it does not declare, downstream allows no others';
  return [
    ...absent,
    ...held,
    ...(wants.length === 0 && others.length > 0 ? [{ path: '.*', message }] : below('.*', others)),
  ];
}

interface FitRefusal {
  /** The path below the value: `.items[2]`, or empty for the value itself. */
  readonly path: string;
  readonly value: unknown;
  readonly wants: string;
}

/** The reasons why the shape certainly refuses the value; empty if it may accept it. */
export function refusals(value: unknown, shape: SchemaShape, effort: Effort): readonly FitRefusal[] {
  return withEffort(effort, [], () => {
    const kind = kindOf(value);
    if (kind === undefined) return [];
    const refused = (wants: string): readonly FitRefusal[] => [{ path: '', value, wants }];
    if (shape.length === 0) return refused('nothing here');
    if (isListed(value, shape)) return [];
    const list = listOf(shape);
    if (list !== undefined) return refused(oneOf(list));
    const found: (readonly FitRefusal[])[] = [];
    for (const part of shape) {
      if (part.kind !== kind) continue;
      const refusalsOfPart = refusedBy(value, part, effort);
      if (refusalsOfPart.length === 0) return [];
      found.push(refusalsOfPart);
    }
    const [first] = found;
    if (first === undefined) return refused(kindsIn(shape));
    if (found.length === 1) return first;
    const wants = [...new Set(found.flatMap((each) => each[0]?.wants ?? []))];
    const close = wants.length <= 4 && found.every((each) => each[0]?.path === '');
    return refused(close ? wants.join(', or ') : 'one of its alternatives');
  });
}

const isListed = (value: unknown, shape: SchemaShape): boolean =>
  shape.some((part) => part.values !== undefined && isAmong(value, part.values));

function refusedBy(value: unknown, part: ShapePart, effort: Effort): readonly FitRefusal[] {
  const wanted = wishes(value, part);
  if (wanted.length > 0 || part.values !== undefined) return wanted.map((wants) => ({ path: '', value, wants }));
  if (Array.isArray(value)) {
    const item = itemOf(part, effort);
    return value.flatMap((each, index) => below(`[${index}]`, refusals(each, item, effort)));
  }
  if (!isObject(value)) return [];
  return [
    ...Object.keys(value).flatMap((name) =>
      below(segment(name), refusals(value[name], propertyOf(part, name, effort), effort)),
    ),
    ...[...requiredOf(part)]
      .filter((name) => !Object.hasOwn(value, name))
      .map((name) => ({ path: '', value, wants: `\`${name}\`, which is required` })),
  ];
}
