// Doubts about objects: what is required, what each property holds, and which other properties there may be.
import { additionalSchema, closedNames, propertySchemas } from './children.ts';
import { dependenciesOf } from './dependencies.ts';
import { evaluate } from './evaluate.ts';
import { segment } from './json.ts';
import { onlyKind } from './kinds.ts';
import { meetOf, type Meet } from './meet.ts';
import { propertyMeet } from './part-meet.ts';
import { profileOf } from './profile.ts';
import { note, type Note, type Proof } from './proof.ts';
import { locate, numberAt, schemaAt, schemaMapAt, textsAt, type Located, type LocatedObject } from './schema.ts';

export function objectDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  return [
    ...presenceDoubts(left, right),
    ...propertyDoubts(left, right, proof),
    ...otherPropertyDoubts(left, right, proof),
    ...namingDoubts(left, right, proof),
    ...dependencyDoubts(left, right, proof),
  ];
}

function presenceDoubts(left: Meet, right: LocatedObject): readonly Note[] {
  const { required, properties, members } = profileOf(left);
  const missing = textsAt(right, 'required').filter((name) => !required.has(name));
  const notes: Note[] = missing.map((name) => ({
    path: segment(name),
    message: `upstream may leave out \`${name}\`, which is required`,
  }));
  const fewest = numberAt(right, 'minProperties') ?? 0;
  if (properties.fewest < fewest)
    notes.push(note(`upstream may give ${properties.fewest} properties, downstream wants at least ${fewest}`));
  const most = numberAt(right, 'maxProperties') ?? Infinity;
  const given = Math.min(properties.most, ...members.map((member) => closedNames(member)?.length ?? Infinity));
  if (given > most)
    notes.push(
      note(
        `upstream may give ${given === Infinity ? 'any number of' : given} properties, downstream wants at most ${most}`,
      ),
    );
  return notes;
}

function declaredNames(left: Meet, right: LocatedObject): ReadonlySet<string> {
  const { members, required } = profileOf(left);
  return new Set([
    ...[...members, right].flatMap((schema) => [...schemaMapAt(schema, 'properties').keys()]),
    ...required,
  ]);
}

function propertyDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  return [...declaredNames(left, right)].flatMap((name) => {
    const { certain, possible } = propertySchemas(right, name, proof.budget);
    const wanted = [...certain, ...possible].filter((each) => each.schema !== true);
    if (wanted.length === 0) return [];
    const given = propertyMeet(left, name, proof.budget);
    return wanted.flatMap((each) => {
      const doubts = proof.doubtsBelow(segment(name), given, each);
      const forbidden = each.schema === false && doubts.length > 0;
      return forbidden
        ? [{ path: segment(name), message: `upstream may give \`${name}\`, which downstream does not allow` }]
        : doubts;
    });
  });
}

/** Properties that neither side declares by name: those that a pattern of the right matches, and the rest. */
function otherPropertyDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  const { members } = profileOf(left);
  const patterns = schemaMapAt(right, 'patternProperties');
  const matched = [...patterns].flatMap(([pattern, wanted]) => {
    const given = meetOf(
      members.flatMap((member) => schemaMapAt(member, 'patternProperties').get(pattern) ?? unnamed(member, new Set())),
    );
    return proof.doubtsBelow(`[/${pattern}/]`, given, wanted);
  });
  const additional = additionalSchema(right);
  if (additional.schema === true) return matched;
  const given = meetOf(members.flatMap((member) => unnamed(member, new Set(patterns.keys()))));
  const doubts = proof.doubtsBelow('.*', given, additional);
  if (additional.schema !== false || doubts.length === 0) return [...matched, ...doubts];
  return [
    ...matched,
    { path: '.*', message: 'upstream may give properties that it does not declare, downstream allows no others' },
  ];
}

const unnamedSchemas = new WeakMap<object, Map<string, Located>>();

/** What a member says of a property it does not declare and that none of `unmatched` matches: one of its patterns' schemas, or the additional one. */
function unnamed(member: LocatedObject, unmatched: ReadonlySet<string>): Located {
  const patterns = [...schemaMapAt(member, 'patternProperties')].filter(([pattern]) => !unmatched.has(pattern));
  const additional = additionalSchema(member);
  if (patterns.length === 0) return additional;
  const known = unnamedSchemas.get(member.schema) ?? new Map<string, Located>();
  const key = patterns.map(([pattern]) => JSON.stringify(pattern)).join();
  const found =
    known.get(key) ??
    locate({ anyOf: [...patterns.map(([, located]) => located.schema), additional.schema] }, member.resource);
  unnamedSchemas.set(member.schema, known.set(key, found));
  return found;
}

function namingDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  const wanted = schemaAt(right, 'propertyNames');
  if (wanted === undefined) return [];
  const { members } = profileOf(left);
  const names = members.map(closedNames).find((closed) => closed !== undefined);
  if (names?.every((name) => evaluate(name, wanted, proof.budget).answer === 'yes') === true) return [];
  const rules = members.flatMap((member) => schemaAt(member, 'propertyNames') ?? []);
  const given = meetOf([...rules, locate(onlyKind.string, right.resource)]);
  const doubts = proof.doubtsBelow('', given, wanted);
  return doubts.length === 0
    ? []
    : [note("upstream may give property names that downstream's `propertyNames` does not allow")];
}

function dependencyDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  const { required } = profileOf(left);
  return dependenciesOf(right).flatMap(({ trigger, required: wanted, schemas }) => {
    const doubts = [
      ...wanted
        .filter((name) => !required.has(name))
        .map((name) => ({
          path: segment(name),
          message: `upstream may leave out \`${name}\`, which is required with \`${trigger}\``,
        })),
      ...schemas.flatMap((schema) => proof.doubts(left, schema)),
    ];
    const never =
      doubts.length > 0 && proof.emptinessBelow('', propertyMeet(left, trigger, proof.budget)) !== undefined;
    return never ? [] : doubts;
  });
}
