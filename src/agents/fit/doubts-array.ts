// Doubts about arrays: how many items, and what stands at each position.
import { itemSchema, itemSchemas } from './children.ts';
import type { Meet } from './meet.ts';
import { describedPositions, itemMeet } from './part-meet.ts';
import { profileOf } from './profile.ts';
import { note, type Note, type Proof } from './proof.ts';
import { keyword, numberAt, schemaAt, type LocatedObject } from './schema.ts';

export function arrayDoubts(left: Meet, right: LocatedObject, proof: Proof): readonly Note[] {
  const { items, members } = profileOf(left);
  const notes: Note[] = [];
  const fewest = numberAt(right, 'minItems') ?? 0;
  if (items.fewest < fewest)
    notes.push(
      note(
        `upstream may give ${items.fewest === 0 ? 'an empty array' : `${items.fewest} items`}, downstream wants at least ${fewest}`,
      ),
    );
  const most = numberAt(right, 'maxItems') ?? Infinity;
  const longest = longestArray(left, proof);
  if (longest > most)
    notes.push(
      note(
        `upstream may give ${longest === Infinity ? 'any number of' : longest} items, downstream wants at most ${most}`,
      ),
    );
  const unique = longest <= 1 || members.some((member) => keyword(member, 'uniqueItems') === true);
  if (keyword(right, 'uniqueItems') === true && !unique)
    notes.push(note('upstream may give the same item twice, downstream wants each once'));
  return [...notes, ...itemDoubts(left, right, longest, proof), ...containsDoubts(left, right, longest, proof)];
}

/** An array ends where no item can stand. */
function longestArray(left: Meet, proof: Proof): number {
  const { most } = profileOf(left).items;
  const described = describedPositions(left);
  for (let position = 0; position <= described && position < most; position += 1) {
    if (proof.emptinessBelow('', itemMeet(left, position)) !== undefined) return position;
  }
  return most;
}

function itemDoubts(left: Meet, right: LocatedObject, longest: number, proof: Proof): readonly Note[] {
  const wanted = itemSchemas(right);
  const described = Math.max(describedPositions(left), wanted.prefix.length);
  const notes: Note[] = [];
  for (let position = 0; position <= described && position < longest; position += 1) {
    const path = position === described ? '[*]' : `[${position}]`;
    notes.push(...proof.doubtsBelow(path, itemMeet(left, position), itemSchema(wanted, position)));
  }
  return notes;
}

function containsDoubts(left: Meet, right: LocatedObject, longest: number, proof: Proof): readonly Note[] {
  const wanted = schemaAt(right, 'contains');
  const fewest = numberAt(right, 'minContains') ?? 1;
  const most = numberAt(right, 'maxContains') ?? Infinity;
  if (wanted === undefined || (fewest === 0 && longest <= most)) return [];
  const { items } = profileOf(left);
  const positions = Math.min(describedPositions(left), longest - 1);
  const everywhere = Array.from({ length: positions + 1 }, (_, position) => itemMeet(left, position));
  const allWanted = (): boolean => everywhere.every((item) => proof.doubtsBelow('', item, wanted).length === 0);
  if (items.fewest >= fewest && longest <= most && allWanted()) return [];
  return [note("upstream does not promise the items that downstream's `contains` asks for")];
}
