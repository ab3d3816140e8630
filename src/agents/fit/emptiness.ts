// Why no value can be in a meet. Every way out must be closed before this says so.
import { showList } from './json.ts';
import { describeKinds } from './kinds.ts';
import { sideOf, split, type Meet } from './meet.ts';
import { kindEmptiness } from './emptiness-kind.ts';
import { profileOf, valuesOf } from './profile.ts';
import { note, type Note, type Proof } from './proof.ts';
import type { Side } from './schema.ts';
import { candidates, refusal } from './values.ts';

export function findEmptiness(meet: Meet, proof: Proof): readonly Note[] | undefined {
  const [side] = meet.refusedBy;
  if (side !== undefined)
    return [note(side === 'upstream' ? 'upstream allows no value here' : 'downstream allows no value here')];
  return (
    emptyValues(meet, proof) ?? emptyKinds(meet, proof) ?? emptyByExclusion(meet, proof) ?? emptyInParts(meet, proof)
  );
}

/** None of the few values it could be. */
function emptyValues(meet: Meet, proof: Proof): readonly Note[] | undefined {
  const listed = candidates(meet);
  if (listed === undefined) return undefined;
  const refusals = listed.values.map((value) => refusal(value, meet, proof.budget));
  if (refusals.some((each) => each === undefined)) return undefined;
  if (listed.listedBy === undefined)
    return listed.values.length === 0 ? undefined : [note(`none of ${showList(listed.values)} is left`)];
  const given = listedBy(meet, 'upstream');
  const wanted = listedBy(meet, 'downstream');
  if (given !== undefined && wanted !== undefined)
    return [note(`upstream gives ${showList(given)}, downstream wants ${showList(wanted)}`)];
  if (refusals.length === 0) return [note(`${listed.listedBy} allows no value here`)];
  return refusals.flatMap((each) =>
    each === undefined
      ? []
      : [{ path: each.path, message: describeRefusal(each.value, each.wants, listed.listedBy, each.by) }],
  );
}

function describeRefusal(value: unknown, wants: string, listedBy: Side | undefined, refusedBy: Side): string {
  const shown = showList([value]);
  if (listedBy === refusedBy) return `${listedBy} allows only ${shown} and ${wants}, which is no value at all`;
  return listedBy === 'upstream'
    ? `upstream gives ${shown}, downstream wants ${wants}`
    : `downstream wants ${shown}, upstream gives only ${wants}`;
}

function listedBy(meet: Meet, side: Side): readonly unknown[] | undefined {
  return sideOf(meet, side)
    .members.map(valuesOf)
    .find((values) => values !== undefined);
}

/** No kind of value is left, or none that could exist. */
function emptyKinds(meet: Meet, proof: Proof): readonly Note[] | undefined {
  const { kinds } = profileOf(meet);
  if (kinds.size === 0) {
    const given = profileOf(sideOf(meet, 'upstream')).kinds;
    const wanted = profileOf(sideOf(meet, 'downstream')).kinds;
    return [note(`upstream gives ${describeKinds(given)}, downstream wants ${describeKinds(wanted)}`)];
  }
  const notes: Note[] = [];
  for (const kind of kinds) {
    const reasons = kindEmptiness(kind, meet, proof);
    if (reasons === undefined) return undefined;
    notes.push(...reasons);
  }
  return notes;
}

/** All of it lies in something that a `not` excludes. */
function emptyByExclusion(meet: Meet, proof: Proof): readonly Note[] | undefined {
  for (const excluded of meet.outside) {
    const rest = { ...meet, outside: meet.outside.filter((each) => each !== excluded) };
    if (proof.doubts(rest, excluded).length === 0)
      return [note(`every value that is left is one that ${excluded.resource.side}'s \`not\` excludes`)];
  }
  return undefined;
}

/** Empty in each of the parts that its first choice leaves. */
function emptyInParts(meet: Meet, proof: Proof): readonly Note[] | undefined {
  const notes: Note[] = [];
  for (const part of split(meet) ?? [undefined]) {
    const reasons = part === undefined ? undefined : proof.emptiness(part);
    if (reasons === undefined) return undefined;
    notes.push(...reasons);
  }
  return notes;
}
