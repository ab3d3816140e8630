// Why a meet can hold no number, no text, no array or no object.
import { closedNames } from './children.ts';
import { evaluate } from './evaluate.ts';
import { segment } from './json.ts';
import type { Kind } from './kinds.ts';
import { sideOf, type Meet } from './meet.ts';
import { describedPositions, itemMeet, propertyMeet } from './part-meet.ts';
import { crossed, integerLower, integerUpper, profileOf, type Profile, type Range } from './profile.ts';
import { note, type Note, type Proof } from './proof.ts';
import { schemaAt } from './schema.ts';

export function kindEmptiness(kind: Kind, meet: Meet, proof: Proof): readonly Note[] | undefined {
  const profile = profileOf(meet);
  switch (kind) {
    case 'null':
    case 'boolean':
      return undefined;
    case 'integer':
      return noInteger(profile) ? [note(numberConflict(meet))] : undefined;
    case 'fraction':
      return noFraction(profile) ? [note(numberConflict(meet))] : undefined;
    case 'string':
      return noCount(profile.length) ? [note(countConflict(meet, 'length', 'characters'))] : undefined;
    case 'array':
      return noCount(profile.items) ? [note(countConflict(meet, 'items', 'items'))] : noItem(meet, proof);
    case 'object':
      return noCount(profile.properties)
        ? [note(countConflict(meet, 'properties', 'properties'))]
        : noProperty(meet, proof);
  }
}

function noInteger({ lower, upper, steps }: Profile): boolean {
  const first = integerLower(lower);
  const last = integerUpper(upper);
  if (crossed(first, last)) return true;
  return steps.some(
    (step) =>
      Number.isSafeInteger(step) &&
      Number.isSafeInteger(first.value) &&
      Number.isSafeInteger(last.value) &&
      Math.floor(last.value / step) * step < first.value,
  );
}

function noFraction({ lower, upper }: Profile): boolean {
  return crossed(lower, upper) || (lower.value === upper.value && Number.isInteger(lower.value));
}

function noCount({ fewest, most }: Range): boolean {
  return fewest > most;
}

function numberConflict(meet: Meet): string {
  const [given, wanted] = [
    describeNumbers(profileOf(sideOf(meet, 'upstream'))),
    describeNumbers(profileOf(sideOf(meet, 'downstream'))),
  ];
  return `upstream gives ${given}, downstream wants ${wanted}`;
}

function describeNumbers({ lower, upper, steps }: Profile): string {
  const parts = [
    ...(lower.value === -Infinity ? [] : [`${lower.open ? 'more than' : 'at least'} ${lower.value}`]),
    ...(upper.value === Infinity ? [] : [`${upper.open ? 'less than' : 'at most'} ${upper.value}`]),
    ...steps.map((step) => `a multiple of ${step}`),
  ];
  return parts.length === 0 ? 'any number' : parts.join(' and ');
}

function countConflict(meet: Meet, what: 'length' | 'items' | 'properties', unit: string): string {
  const describe = ({ fewest, most }: Range): string => {
    const parts = [...(fewest === 0 ? [] : [`at least ${fewest}`]), ...(most === Infinity ? [] : [`at most ${most}`])];
    return parts.length === 0 ? 'any number of' : parts.join(' and ');
  };
  const [given, wanted] = [profileOf(sideOf(meet, 'upstream'))[what], profileOf(sideOf(meet, 'downstream'))[what]];
  return `upstream gives ${describe(given)} ${unit}, downstream wants ${describe(wanted)} ${unit}`;
}

/** A position that must be filled, and cannot be. Past the described positions all are alike. */
function noItem(meet: Meet, proof: Proof): readonly Note[] | undefined {
  const { fewest } = profileOf(meet).items;
  const described = describedPositions(meet);
  for (let position = 0; position <= described && position < fewest; position += 1) {
    const reasons = proof.emptinessBelow(position === described ? '[*]' : `[${position}]`, itemMeet(meet, position));
    if (reasons !== undefined) return reasons;
  }
  return undefined;
}

/** A property that must be there and cannot, or more properties than there are names. */
function noProperty(meet: Meet, proof: Proof): readonly Note[] | undefined {
  const { required, members, properties } = profileOf(meet);
  for (const name of required) {
    const reasons = proof.emptinessBelow(segment(name), propertyMeet(meet, name, proof.budget));
    if (reasons !== undefined) return missingReasons(meet, name, proof) ?? reasons;
    for (const member of members) {
      const naming = schemaAt(member, 'propertyNames');
      if (naming !== undefined && evaluate(name, naming, proof.budget).answer === 'no') {
        return [
          {
            path: segment(name),
            message: `\`${name}\` is required, and not a name that ${member.resource.side} allows`,
          },
        ];
      }
    }
  }
  const names = Math.min(...members.map((member) => closedNames(member)?.length ?? Infinity));
  if (names < properties.fewest)
    return [note(`at least ${properties.fewest} properties are wanted, and only ${names} are allowed`)];
  return undefined;
}

/** The plainer message where one side allows no such property at all. */
function missingReasons(meet: Meet, name: string, proof: Proof): readonly Note[] | undefined {
  const path = segment(name);
  const [given, wanted] = [sideOf(meet, 'upstream'), sideOf(meet, 'downstream')];
  if (propertyMeet(given, name, proof.budget).refusedBy.length > 0 && profileOf(wanted).required.has(name)) {
    return [{ path, message: `downstream requires \`${name}\`, which upstream never gives` }];
  }
  if (propertyMeet(wanted, name, proof.budget).refusedBy.length > 0 && profileOf(given).required.has(name)) {
    return [{ path, message: `upstream always gives \`${name}\`, which downstream does not allow` }];
  }
  return undefined;
}
