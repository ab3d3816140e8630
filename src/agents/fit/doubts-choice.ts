// Doubts about anyOf, oneOf, not and if/then/else on the right.
import { describeKinds } from './kinds.ts';
import { meetOf, narrow, type Meet } from './meet.ts';
import { profileOf } from './profile.ts';
import { note, type Note, type Proof } from './proof.ts';
import { keyword, schemaAt, schemasAt, type Located, type LocatedObject } from './schema.ts';

/** Whether taking the left apart by kind could settle a doubt. */
export function hasChoice(right: LocatedObject): boolean {
  return ['anyOf', 'oneOf', 'not', 'if'].some((name) => keyword(right, name) !== undefined);
}

export function choiceDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  return [
    ...anyOfDoubts(left, right, proof),
    ...oneOfDoubts(left, right, proof),
    ...notDoubts(left, right, proof),
    ...conditionDoubts(left, right, proof),
  ];
}

function anyOfDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  const branches = schemasAt(right, 'anyOf');
  if (branches.length === 0) return [];
  const doubts = branches.map((branch) => proof.doubts(left, branch));
  return doubts.some((each) => each.length === 0) ? [] : nearestDoubts(left, branches, doubts);
}

function oneOfDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  const branches = schemasAt(right, 'oneOf');
  if (branches.length === 0) return [];
  const doubts = branches.map((branch) => proof.doubts(left, branch));
  const accepting = doubts.findIndex((each) => each.length === 0);
  if (accepting < 0) return nearestDoubts(left, branches, doubts);
  const others = branches.filter((_, index) => index !== accepting);
  const apart = others.every((branch) => isApart(left, branch, proof));
  return apart
    ? []
    : [note("upstream may give a value that more than one of downstream's `oneOf` alternatives accepts")];
}

function isApart(left: Meet, branch: Located, proof: Proof): boolean {
  return proof.emptiness(narrow(left, { within: [branch], outside: [] })) !== undefined;
}

/** The doubts of the one alternative that speaks of the same kinds of value, where there is one. */
function nearestDoubts(
  left: Meet,
  branches: readonly Located[],
  doubts: readonly (readonly Note[])[],
): readonly Note[] {
  const kinds = profileOf(left).kinds;
  const near = branches.flatMap((branch, index) => {
    const shared = [...profileOf(meetOf([branch])).kinds].some((kind) => kinds.has(kind));
    return shared && branch.schema !== false ? [doubts[index] ?? []] : [];
  });
  const [only] = near;
  if (only !== undefined && near.length === 1) return only;
  const wanted =
    near.length === 0
      ? `, which want ${describeKinds(new Set(branches.flatMap((branch) => [...profileOf(meetOf([branch])).kinds])))}`
      : '';
  return [note(`upstream may give ${describeKinds(kinds)} that fits none of downstream's alternatives${wanted}`)];
}

function notDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  const excluded = schemaAt(right, 'not');
  if (excluded === undefined || isApart(left, excluded, proof)) return [];
  return [note("upstream may give a value that downstream's `not` excludes")];
}

function conditionDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  const condition = schemaAt(right, 'if');
  if (condition === undefined) return [];
  const consequent = schemaAt(right, 'then');
  const alternative = schemaAt(right, 'else');
  return [
    ...(consequent === undefined ? [] : proof.doubts(narrow(left, { within: [condition], outside: [] }), consequent)),
    ...(alternative === undefined ? [] : proof.doubts(narrow(left, { within: [], outside: [condition] }), alternative)),
  ];
}
