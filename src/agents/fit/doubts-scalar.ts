// Doubts about kinds, listed values, numbers and texts.
import { showList } from './json.ts';
import { describeKinds, kindsOfType, type Kind } from './kinds.ts';
import type { Meet } from './meet.ts';
import { integerLower, integerUpper, lowerBounds, profileOf, upperBounds, valuesOf, type Bound } from './profile.ts';
import { kindEmptiness } from './emptiness-kind.ts';
import { note, type Note, type Proof } from './proof.ts';
import { numberAt, textAt, type LocatedObject } from './schema.ts';

export function kindDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  const given = profileOf(left).kinds;
  const wanted = kindsOfType(right, 'narrowest');
  const unwanted = [...given].filter((kind) => !wanted.has(kind) && kindEmptiness(kind, left, proof) === undefined);
  const values = valuesOf(right);
  if (unwanted.length > 0) {
    const gives = unwanted.length === given.size || wanted.size === 0 ? given : new Set<Kind>(unwanted);
    return [note(`upstream may give ${describeKinds(gives)}, downstream wants ${describeKinds(wanted)}`)];
  }
  if (values === undefined) return [];
  return [note(`upstream allows other values than ${showList(values)}`)];
}

export function numberDoubts(left: Meet, right: LocatedObject): readonly Note[] {
  const profile = profileOf(left);
  const whole = !profile.kinds.has('fraction');
  const lower = whole ? integerLower(profile.lower) : profile.lower;
  const upper = whole ? integerUpper(profile.upper) : profile.upper;
  const notes: Note[] = [];
  for (const bound of lowerBounds(right, 'narrowest')) {
    if (!(lower.value > bound.value || (lower.value === bound.value && (lower.open || !bound.open)))) {
      notes.push(
        note(
          `upstream may give ${lower.value === -Infinity ? 'any smaller number' : describeBound(lower, 'from')}, downstream wants ${bound.open ? 'more than' : 'at least'} ${bound.value}`,
        ),
      );
    }
  }
  for (const bound of upperBounds(right, 'narrowest')) {
    if (!(upper.value < bound.value || (upper.value === bound.value && (upper.open || !bound.open)))) {
      notes.push(
        note(
          `upstream may give ${upper.value === Infinity ? 'any larger number' : describeBound(upper, 'up to')}, downstream wants ${bound.open ? 'less than' : 'at most'} ${bound.value}`,
        ),
      );
    }
  }
  const step = numberAt(right, 'multipleOf');
  if (step !== undefined && !(whole && step === 1) && !profile.steps.some((given) => isMultiple(given, step))) {
    notes.push(note(`upstream may give numbers that are not a multiple of ${step}`));
  }
  return notes;
}

function describeBound(bound: Bound, word: 'from' | 'up to'): string {
  return `numbers ${word} ${bound.value}${bound.open ? ' (without it)' : ''}`;
}

function isMultiple(given: number, step: number): boolean {
  return given === step || (Number.isSafeInteger(given) && Number.isSafeInteger(step) && given % step === 0);
}

export function textDoubts(left: Meet, right: LocatedObject): readonly Note[] {
  const { length, members } = profileOf(left);
  const notes: Note[] = [];
  const shortest = numberAt(right, 'minLength') ?? 0;
  if (length.fewest < shortest)
    notes.push(
      note(
        `upstream may give ${length.fewest === 0 ? 'an empty text' : `text of ${length.fewest} characters`}, downstream wants at least ${shortest} characters`,
      ),
    );
  const longest = numberAt(right, 'maxLength') ?? Infinity;
  if (length.most > longest)
    notes.push(
      note(
        `upstream may give ${length.most === Infinity ? 'text of any length' : `text of ${length.most} characters`}, downstream wants at most ${longest} characters`,
      ),
    );
  const pattern = textAt(right, 'pattern');
  if (pattern !== undefined && !members.some((member) => textAt(member, 'pattern') === pattern)) {
    notes.push(note(`upstream does not promise text that matches /${pattern}/`));
  }
  return notes;
}

/** A format counts for texts and, in some validators, for numbers. */
export function formatDoubts(left: Meet, right: LocatedObject): readonly Note[] {
  const format = textAt(right, 'format');
  if (format === undefined || profileOf(left).members.some((member) => textAt(member, 'format') === format)) return [];
  return [note(`upstream does not promise the format "${format}"`)];
}
