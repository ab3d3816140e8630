// Why a value of the left might not satisfy the right. The left is a meet read at its widest, the right a schema read at its
// narrowest. Whole first; then, where that leaves doubt, the left in parts.
import { unevaluatedBeyond } from './children.ts';
import { arrayDoubts } from './doubts-array.ts';
import { choiceDoubts, hasChoice } from './doubts-choice.ts';
import { objectDoubts } from './doubts-object.ts';
import { formatDoubts, kindDoubts, numberDoubts, textDoubts } from './doubts-scalar.ts';
import { evaluate } from './evaluate.ts';
import { show } from './json.ts';
import { onlyKind } from './kinds.ts';
import { narrow, split, type Meet } from './meet.ts';
import { misread } from './misread.ts';
import { note, type Note, type Proof } from './proof.ts';
import { profileOf } from './profile.ts';
import {
  isObjectSchema,
  isSameSchema,
  keyword,
  resolve,
  schemasAt,
  textAt,
  type Located,
  type LocatedObject,
  type Resource,
} from './schema.ts';
import { candidates, refusal } from './values.ts';
import { complaintsOf } from './verdict.ts';

export function findDoubts(left: Meet, right: Located, proof: Proof): readonly Note[] {
  if (right.schema === true || left.refusedBy.length > 0) return [];
  if (left.members.some((member) => isSameSchema(member, right))) return [];
  const doubts = valueDoubts(left, right, proof) ?? doubtsInParts(left, right, proof);
  return doubts.length === 0 || proof.emptiness(left) !== undefined ? [] : doubts;
}

/** Where the left is a short list, each value is tried. */
function valueDoubts(left: Meet, right: Located, proof: Proof): readonly Note[] | undefined {
  const listed = candidates(left);
  if (listed === undefined) return undefined;
  const possible = listed.values.filter((value) => refusal(value, left, proof.budget) === undefined);
  return possible.flatMap((value) =>
    complaintsOf(evaluate(value, right, proof.budget)).map((complaint) => ({
      path: complaint.path,
      message: `upstream may give ${show(complaint.value)}, downstream wants ${complaint.wants}`,
    })),
  );
}

function doubtsInParts(left: Meet, right: Located, proof: Proof): readonly Note[] {
  const whole = isObjectSchema(right)
    ? wholeDoubts(left, right, proof)
    : [note('upstream may give a value here, downstream allows none')];
  if (whole.length === 0) return whole;
  const parts = split(left) ?? (isObjectSchema(right) && hasChoice(right) ? splitByKind(left) : undefined);
  return parts === undefined ? whole : parts.flatMap((part) => proof.doubts(part, right));
}

const inference: Resource = { document: true, dialect: '2020-12', side: 'upstream' };

function splitByKind(left: Meet): readonly Meet[] | undefined {
  const { kinds } = profileOf(left);
  if (kinds.size < 2) return undefined;
  return [...kinds].map((kind) =>
    narrow(left, { within: [{ schema: onlyKind[kind], resource: inference }], outside: [] }),
  );
}

function wholeDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  const { kinds } = profileOf(left);
  return [
    ...misread(right).map((name) => note(`downstream's \`${name}\` is not understood`)),
    ...unevaluatedBeyond(right)
      .filter((name) => kinds.has(name === 'unevaluatedItems' ? 'array' : 'object'))
      .map((name) => note(`upstream may give more than downstream's \`${name}\` allows`)),
    ...referenceDoubts(left, right, proof),
    ...schemasAt(right, 'allOf').flatMap((schema) => proof.doubts(left, schema)),
    ...choiceDoubts(left, right, proof),
    ...kindDoubts(left, right, proof),
    ...(kinds.has('integer') || kinds.has('fraction') ? numberDoubts(left, right) : []),
    ...(kinds.has('string') ? textDoubts(left, right) : []),
    ...(kinds.has('string') || kinds.has('integer') || kinds.has('fraction') ? formatDoubts(left, right) : []),
    ...(kinds.has('array') ? arrayDoubts(left, right, proof) : []),
    ...(kinds.has('object') ? objectDoubts(left, right, proof) : []),
  ];
}

function referenceDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  const dynamic = ['$dynamicRef', '$recursiveRef'].filter((name) => keyword(right, name) !== undefined);
  if (dynamic.length > 0) return dynamic.map((name) => note(`downstream's \`${name}\` cannot be followed here`));
  const reference = textAt(right, '$ref');
  if (reference === undefined) return [];
  const target = resolve(reference, right.resource);
  return target === undefined
    ? [note(`downstream refers to ${reference}, which cannot be followed here`)]
    : proof.doubts(left, target);
}
